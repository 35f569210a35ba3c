// What is seen first: the bar of all rows, one sentence, the options in one line, the rules as a list.

import { describe, expect, it } from "vitest";
import { optionsText } from "../../../js/app/optionsText";
import type { DiffView } from "../../../js/protocol/types";
import { percent, plural } from "../../../js/text/format";
import { differencesCamera, homeCamera, onScreen } from "../../../js/tree/camera";
import { layoutTree } from "../../../js/tree/layout";
import { freestCorner } from "../../../js/tree/MiniMap";
import { holdsDifference, indexNodes, visibleTree } from "../../../js/tree/visible";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, click, one, show } = stage;
const id = (name: string) => one(`[data-testid="imd-${name}"]`);

describe("the bar of all rows", () => {
  it("has the parts, lengths and words of Python", async () => {
    const view = fixtures.judged();
    await show(view);
    const { bar, short, sentences } = view.headline;
    expect(bar.length).toBeGreaterThan(2);
    expect(bar.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
    const parts = all(".imd-rows-bar .imd-bar-parts > i");
    expect(parts.map((part) => part.className)).toEqual(bar.map(({ kind }) => `is-${kind}`));
    for (const [i, part] of parts.entries())
      expect(Number(part.style.flexGrow)).toBeCloseTo(bar[i]?.length ?? 0, 6);
    expect(all(".imd-bar-key li").map((item) => item.textContent)).toEqual(
      bar.map(({ text }) => text),
    );
    const name = one(".imd-rows-bar [role=img]").getAttribute("aria-label") ?? "";
    for (const { text, share } of bar)
      expect(name).toContain(`${percent(share)} of the rows: ${text}`);
    expect(one(".imd-rest").textContent).toContain(short);
    // the rest of the sentences comes on demand
    expect(id("headline").textContent).not.toContain(sentences[1]);
    await click(id("details"));
    expect(id("headline").textContent).toContain(sentences[1]);
    expect(id("details").getAttribute("aria-expanded")).toBe("true");
    await click(id("details"));
    expect(id("headline").textContent).not.toContain(sentences[1]);
  });

  it("marks the part that is not to scale", async () => {
    const view = fixtures.small();
    const [first, ...rest] = view.headline.bar;
    if (!first) throw new Error("no part");
    const bar = [{ ...first, cut: true }, ...rest];
    await show({ ...view, headline: { ...view.headline, bar } });
    expect(all(".imd-rows-bar .is-cut")).toHaveLength(1);
  });

  it("has fixes and breaks beside it where the truth is known, on one scale", async () => {
    const view = fixtures.judged();
    const truth = { fixes: 30, breaks: 12.5, text: "RF fixes 30, breaks 12.5", net: "net +17.5" };
    await show({ ...view, headline: { ...view.headline, truth } });
    expect(plain(id("truth"))).toMatch(/^With y: ?breaks 12.5 · +fixes 30 · net \+17.5$/);
    const widths = all(".imd-truth-half i").map((part) => Number.parseFloat(part.style.width));
    expect(widths[0]).toBeCloseTo((100 * 12.5) / 30, 6);
    expect(widths[1]).toBe(100);
    // the key is in the order of the bar
    expect(all(".imd-truth-bar .imd-bar-key i").map((i) => i.className)).toEqual([
      "is-breaks",
      "is-fixes",
    ]);
    stage.leave();
    await show({ ...view, headline: { ...view.headline, truth: null } });
    expect(all('[data-testid="imd-truth"]')).toHaveLength(0);
  });
});

describe("the options", () => {
  const text = (view: DiffView, change: Partial<DiffView["options"]> = {}) => {
    const options = { ...view.options, ...change };
    return optionsText({ view, options: { ...options, given: options.given ?? "nothing" } });
  };

  it("are listed in one line, without those that are not set", () => {
    const view = fixtures.small();
    expect(text(view)).toBe("Method calibrated · depth 6 · sensitivity auto");
    const set = { sensitivity: 0.35, given: "m2", max_rules: 1, max_depth: 3 } as const;
    expect(text(view, set)).toBe(
      "Method calibrated · depth 3 · sensitivity 35\u00a0% · given new's output · at most 1 rule",
    );
    expect(text(view, { tunable: false, max_rules: 3 })).toBe("Method calibrated · depth 6");
    const paper = { method: "imd", alpha: 0.9, tunable: false } as const;
    expect(text(view, paper)).toBe("Method paper (imd) · alpha 0.9 · depth 6");
    expect(text(fixtures.houses(), { tolerance: 0.07, relative: true })).toContain("tolerance 7 %");
  });

  it("are there when they are opened", async () => {
    await show(fixtures.small());
    expect(all('[data-testid="imd-depth"]')).toHaveLength(0);
    expect(id("options").getAttribute("aria-expanded")).toBe("false");
    await click(id("options"));
    expect(id("depth").textContent).toBe("6");
    expect(id("options").getAttribute("aria-expanded")).toBe("true");
    const panel = one(`#${id("options").getAttribute("aria-controls")}`);
    expect(panel.contains(id("depth"))).toBe(true);
    await click(id("options"));
    expect(all('[data-testid="imd-depth"]')).toHaveLength(0);
  });
});

/** The text, whatever its spaces are. */
const plain = (element: Element | null) => element?.textContent?.replace(/\s/g, " ");

describe("the list of rules", () => {
  it("has rows, rate, outputs and conditions of each; the selected one is open", async () => {
    const view = fixtures.breastCancer();
    await show(view);
    const most = Math.max(...view.rules.map(({ support }) => support));
    for (const row of all("[data-rule]")) {
      const rule = view.rules[Number(row.dataset.rule)];
      if (!rule) throw new Error("no rule");
      const top = row.querySelector(".imd-row-figures")?.textContent;
      const rows = row.querySelector(".imd-row-size")?.textContent;
      const shown = rule.expected_rate;
      const { confirmed, holdout_differing: n, holdout_support: of } = rule;
      const mark = confirmed === null ? "" : confirmed ? "confirmed" : "hint";
      const held = `${of < 20 ? n : percent(shown)} of ${of} held-out rows`;
      const words = rule.measured_rate === null ? `${percent(shown)} expected` : held;
      expect(top).toBe(mark + (shown === null ? "not measured" : words));
      expect(rows).toBe(plural(rule.support, "row"));
      for (const { text } of rule.conditions)
        expect(plain(row.querySelector(".imd-row-conditions"))).toContain(text);
      for (const said of rule.said)
        expect(row.querySelector(".imd-brief")?.textContent).toContain(said);
      const [bar, part] = row.querySelectorAll<HTMLElement>(".imd-rule-bar :is(span, i)");
      expect(Number.parseFloat(bar?.style.width ?? "")).toBeCloseTo((100 * rule.support) / most, 3);
      expect(Number.parseFloat(part?.style.width ?? "")).toBeCloseTo(100 * (shown ?? 0), 3);
    }
    expect(all(".imd-opened")).toHaveLength(0);
    await click(one('[data-rule="1"]'));
    expect(all(".imd-opened")).toHaveLength(1);
    expect(one('[data-rule="1"] .imd-opened')).toBeTruthy();
    await click(one('[data-rule="1"]'));
    expect(all(".imd-opened")).toHaveLength(0);
  });

  it("marks rules that may be chance, and writes few held-out rows as a count", async () => {
    const view = fixtures.breastCancer();
    const [first] = view.rules;
    if (!first) throw new Error("no rule");
    const measured = { measured_rate: 0.25, expected_rate: 0.25, holdout_support: 12 };
    const hint = { ...first, ...measured, holdout_differing: 3, confirmed: false };
    const sure = {
      ...hint,
      number: 1,
      holdout_support: 40,
      holdout_differing: 10,
      confirmed: true,
    };
    const metrics = { ...view.metrics, measured_by: "holdout" as const };
    await show({ ...view, metrics, rules: [hint, sure] });
    const [few, many] = all(".imd-row-figures");
    expect(plain(few ?? null)).toBe("hint3 of 12 held-out rows");
    expect(few?.classList.contains("is-hint")).toBe(true);
    expect(plain(many ?? null)).toBe("confirmed25 % of 40 held-out rows");
    expect(many?.classList.contains("is-hint")).toBe(false);
    stage.leave();
    await show({ ...view, metrics: { ...metrics, measured_by: "cv" }, rules: [hint] });
    expect(plain(one(".imd-row-figures"))).toBe("hint25 % of held-out rows");
  });

  it("puts the conditions first that neighbours do not share", async () => {
    const view = fixtures.breastCancer();
    const rule = view.rules.find(
      ({ conditions }) => conditions.some((c) => c.shared) && conditions.some((c) => !c.shared),
    );
    if (!rule) throw new Error("no such rule");
    await show(view);
    const parts = all(`[data-rule="${rule.number}"] .imd-row-conditions > span`);
    const own = parts.map((part) => part.classList.contains("is-own"));
    expect(own).toEqual(own.toSorted((a, b) => Number(b) - Number(a)));
    expect(own).toContain(false);
  });

  it("draws several outcome pairs as a bar, and none of them bold if it holds for few rows", async () => {
    const view = fixtures.viewNamed("mixed_outcomes");
    const mixed = view.rules.find(({ outcome_share }) => outcome_share < 1);
    if (!mixed) throw new Error("no rule with several pairs");
    const few = { ...mixed, number: 0, outcome_share: 0.3 };
    await show({ ...view, rules: [few] });
    const bar = one("[data-rule] .imd-pairs-bar");
    const shares = [...bar.querySelectorAll<HTMLElement>("i")].map((i) => Number(i.style.flexGrow));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 6);
    expect(shares[0]).toBeCloseTo(0.3, 6);
    expect(bar.getAttribute("aria-label")).toContain(few.said.join(" → "));
    expect(all("[data-rule] .imd-brief > b")).toHaveLength(0);
    stage.leave();
    await show({ ...view, rules: [{ ...mixed, number: 0, outcome_share: 1, others: [] }] });
    expect(all(".imd-pairs-bar")).toHaveLength(0);
    expect(all("[data-rule] .imd-brief > b")).toHaveLength(2);
  });
});

describe("the keys of the list of rules", () => {
  const rows = () => all("[data-rule] > .imd-row");
  const press = async (key: string) => {
    document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    await settle();
  };
  const focused = () => rows().indexOf(document.activeElement as HTMLElement);
  const stops = () => rows().flatMap(({ tabIndex }, i) => (tabIndex === 0 ? i : []));

  it("move through it, which is one tab stop", async () => {
    await show(fixtures.breastCancer());
    const last = rows().length - 1;
    expect(last).toBeGreaterThan(2);
    expect(stops()).toEqual([0]);
    rows()[0]?.focus();
    for (const [key, at] of [
      ["ArrowDown", 1],
      ["ArrowDown", 2],
      ["ArrowUp", 1],
      ["End", last],
      ["ArrowDown", last],
      ["Home", 0],
    ] as const) {
      await press(key);
      expect(focused()).toBe(at);
      expect(stops()).toEqual([at]);
    }
  });

  it("begin at the selected rule", async () => {
    await show(fixtures.breastCancer(), { selected_rules: [2] });
    expect(stops()).toEqual([2]);
  });
});

describe("a node", () => {
  it("with one rule shows all of it, without folding anything", async () => {
    const view = fixtures.breastCancer();
    const node = view.nodes.find(({ rules, kind }) => rules.length === 1 && kind === "or");
    if (!node) throw new Error("no such node");
    await show(view, { selected_node: node.id });
    expect(all(".imd-opened")).toHaveLength(1);
    expect(stage.model.get("selected_rules")).toEqual([]);
  });
});

describe("a selected rule that is gone", () => {
  it("is named in the status line", async () => {
    const view = fixtures.breastCancer();
    await show(view, { selected_rules: [0] });
    stage.model.receive("view", { ...view, options: { ...view.options, max_depth: 2 } });
    stage.model.receive("selected_rules", []);
    await settle();
    expect(id("status").textContent).toContain("The selected rule is gone");
  });
});

describe("the options of a page", () => {
  const page = () => {
    const view = fixtures.small();
    return { ...view, refinement: { ...view.refinement, prepared: 0 } };
  };

  it("are listed, and cannot be changed", async () => {
    await show(page());
    await click(id("options"));
    expect(one(".imd-options").textContent).toContain("depth 6");
    expect(one(".imd-options").textContent).toContain("To change these, run the notebook.");
    expect(all('[data-testid="imd-depth"]')).toHaveLength(0);
    for (const name of ["stability", "cohort"])
      expect(all(`[data-testid="imd-${name}"]`)).toHaveLength(0);
  });

  it("are closed with Escape, which does nothing else", async () => {
    await show(page(), { selected_rules: [0] });
    await click(id("options"));
    id("options").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    await settle();
    expect(id("options").getAttribute("aria-expanded")).toBe("false");
    expect(document.activeElement).toBe(id("options"));
    expect(stage.model.get("selected_rules")).toEqual([0]);
  });
});

describe("the map of the tree", () => {
  const layout = layoutTree(
    visibleTree(indexNodes(fixtures.regions().nodes), { differencesOnly: true, folds: new Map() }),
    { ...fixtures.regions(), measure: (text: string) => 7 * text.length } as never,
    false,
  );
  const { x0, y0, x1, y1 } = layout.bounds;
  const share = { width: 0.2, height: 0.2 };

  it("is where it covers the fewest boxes", () => {
    // beyond the lower right corner of the tree: only there is a box under the map
    const [width, height] = [x1 - x0, y1 - y0];
    const view = { x0, y0, x1: x1 + width, y1: y1 + height };
    expect(freestCorner(layout, [], view, share)).toEqual(["right", "bottom"]);
    const before = { x0: x0 - width, y0: y0 - height, x1, y1 };
    const [last] = layout.boxes.toSorted((a, b) => b.x + b.w + b.y - (a.x + a.w + a.y));
    if (!last) throw new Error("no box");
    const over = { ...before, x1: last.x + last.w, y1: last.y + last.h / 2 };
    expect(freestCorner(layout, [], over, share)).not.toEqual(["right", "bottom"]);
  });

  it("leaves what one looks at alone, even if it covers more elsewhere", () => {
    const [box] = layout.boxes;
    if (!box) throw new Error("no box");
    const view = { x0: box.x, y0: box.y - 5000, x1: box.x + 100, y1: box.y + box.h / 2 };
    const corner = (focus: string[]) =>
      freestCorner({ boxes: [box, ...Array.from({ length: 3 }, () => elsewhere)] }, focus, view, {
        width: 0.6,
        height: 0.6,
      });
    const elsewhere = { ...box, box: { ...box.box, id: "other" }, y: view.y0 + 10 };
    expect(corner([])).toEqual(["right", "bottom"]);
    expect(corner([box.box.id])).toEqual(["right", "top"]);
  });
});

describe("the camera", () => {
  it("brings all differences of an unfolded tree into view", () => {
    const view = fixtures.regions();
    const index = indexNodes(view.nodes);
    const words = {
      names: view.names,
      outputs: view.outputs,
      rules: view.rules,
      measure: (text: string) => 7 * text.length,
    };
    const layout = layoutTree(
      visibleTree(index, { differencesOnly: true, folds: new Map() }),
      words as never,
      false,
    );
    const size = { width: 700, height: 400 };
    const differing = layout.boxes.filter(({ box }) => holdsDifference(box));
    expect(differing.length).toBeGreaterThan(3);
    const seen = (camera: Parameters<typeof onScreen>[1]) =>
      differing.filter((placed) => onScreen(placed, camera, size)).length;
    expect(seen(differencesCamera(layout, size))).toBe(differing.length);
    expect(seen(homeCamera(layout, size))).toBeLessThan(differing.length);
  });

  it("shows as many differences as fit where all of them would be too small to read", () => {
    const view = fixtures.big();
    const layout = layoutTree(
      visibleTree(indexNodes(view.nodes), { differencesOnly: true, folds: new Map() }),
      { ...view, measure: (text: string) => 7 * text.length } as never,
      false,
    );
    const size = { width: 700, height: 400 };
    const { k } = differencesCamera(layout, size);
    expect(k).toBe(0.5);
    const seen = layout.boxes.filter(
      (placed) =>
        holdsDifference(placed.box) && onScreen(placed, differencesCamera(layout, size), size),
    );
    expect(seen.length).toBeGreaterThan(0);
  });

  it("prefers the way from the root to what is beside it where not all fits", () => {
    const view = fixtures.big();
    const layout = layoutTree(
      visibleTree(indexNodes(view.nodes), { differencesOnly: true, folds: new Map() }),
      { ...view, measure: (text: string) => 7 * text.length } as never,
      true,
    );
    const size = { width: 700, height: 400 };
    const home = homeCamera(layout, size);
    const seen = layout.boxes.filter((placed) => onScreen(placed, home, size));
    const ids = new Set(seen.map(({ box }) => box.id));
    const deepest = seen.filter(({ box }) => holdsDifference(box));
    expect(deepest.length).toBeGreaterThan(0);
    // each ancestor of some difference is in view, as far up as there is room
    const parents = deepest.map(({ parent }) => parent).filter((parent) => parent !== null);
    expect(parents.some((parent) => ids.has(parent as string))).toBe(true);
  });
});
