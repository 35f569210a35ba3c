// What is seen first: the bar of all rows, one sentence, the options in one line, the rules as a list.

import { describe, expect, it } from "vitest";
import { optionsText } from "../../../js/app/optionsText";
import type { DiffView } from "../../../js/protocol/types";
import { percent, plural } from "../../../js/text/format";
import { differencesCamera, homeCamera, onScreen } from "../../../js/tree/camera";
import { layoutTree } from "../../../js/tree/layout";
import { holdsDifference, indexNodes, visibleTree } from "../../../js/tree/visible";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";

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
    const truth = { fixes: 30, breaks: 12, text: "RF fixes 30, breaks 12", net: "net +18" };
    await show({ ...view, headline: { ...view.headline, truth } });
    expect(id("truth").textContent).toContain("RF fixes 30, breaks 12 net +18");
    const widths = all(".imd-truth-half i").map((part) => part.style.width);
    expect(widths).toEqual(["40%", "100%"]);
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
});
