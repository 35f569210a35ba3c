// How far each rule can be trusted: intervals, agreement, groups, stability.

import { describe, expect, it } from "vitest";
import { groupsInside, groupWords } from "../../../js/panels/ByGroups";
import type { DiffView, Request } from "../../../js/protocol/types";
import { percent, wideInterval } from "../../../js/text/format";
import { flatten, indexNodes, visibleTree } from "../../../js/tree/visible";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, click, one, show, showOpen, showWith } = stage;

const card = (number: number) => one(`[data-rule="${number}"]`);
const figures = (number: number) =>
  [...card(number).querySelectorAll(".imd-figures > div")].map((figure) => [
    figure.querySelector("dt")?.textContent,
    figure.querySelector("dd")?.textContent,
  ]);
const lastSent = () => stage.model.sent.at(-1) as Request;

/** The view with another first rule. */
const withRule = (view: DiffView, fields: Partial<DiffView["rules"][0]>): DiffView => ({
  ...view,
  rules: view.rules.map((rule, i) => (i === 0 ? { ...rule, ...fields } : rule)),
});

describe("intervals", () => {
  it("are written where they are wider than a tenth, and nowhere else", async () => {
    expect(wideInterval([0.188, 0.812])).toBe("19 to 81\u00a0%");
    expect(wideInterval([0.46, 0.55])).toBeNull();
    expect(wideInterval([0.449, 0.551])).toBe("45 to 55\u00a0%");
    const few = {
      holdout_support: 6,
      holdout_differing: 3,
      measured_rate: 0.5,
      interval: [0.188, 0.812] as [number, number],
    };
    await showOpen(withRule(fixtures.breastCancer(), few));
    expect(figures(0)[2]).toEqual(["held-out", "50\u00a0%3 of 6,19 to 81\u00a0%"]);
    const many = {
      holdout_support: 600,
      holdout_differing: 300,
      interval: [0.46, 0.54] as [number, number],
    };
    stage.model.receive("view", withRule(fixtures.breastCancer(), { ...few, ...many }));
    await settle();
    expect(figures(0)[2]).toEqual(["held-out", "50\u00a0%300 of 600"]);
    expect(one('[data-rule="0"] [title*="46 to 54\u00a0%"]')).toBeTruthy();
  });

  it("belong to rows not used to fit, never to the rows that the rule was chosen on", async () => {
    const { support, differing } = fixtures.breastCancer().rules[0] ?? {};
    await showOpen(withRule(fixtures.breastCancer(), { interval: [0.188, 0.812] }));
    expect(figures(0)[1]?.[1]).toMatch(new RegExp(`${differing} of ${support}$`));
    const [, fitted] = [...card(0).querySelectorAll<HTMLElement>(".imd-figures [title]")];
    expect(fitted?.title).not.toContain("interval");
  });

  it("are not written where nothing is known", async () => {
    const unknown = {
      holdout_support: 6,
      holdout_differing: 3,
      measured_rate: 0.5,
      interval: [0, 1] as [number, number],
    };
    await showOpen(withRule(fixtures.breastCancer(), unknown));
    expect(figures(0)[2]).toEqual(["held-out", "50\u00a0%3 of 6"]);
    expect(one('[data-rule="0"] [title*="Too few independent rows"]')).toBeTruthy();
  });
});

describe("rows not used to fit", () => {
  it("have the figure of the holdout, or of similar rules of folds", async () => {
    const view = fixtures.breastCancer();
    expect(view.metrics.measured_by).toBe("holdout");
    await showOpen(view);
    expect(figures(0).map(([name]) => name)).toEqual(["rows", "differ", "held-out", "coverage"]);
    const folds = withRule(view, { measured_rate: 0.4, interval: [0.2, 0.65] });
    stage.model.receive("view", { ...folds, metrics: { ...view.metrics, measured_by: "cv" } });
    await settle();
    expect(figures(0)[2]).toEqual(["cross-fit", "40\u00a0%20 to 65\u00a0%"]);
    const lost = withRule(view, { measured_rate: null, interval: [0, 1], expected_rate: 0.31 });
    stage.model.receive("view", { ...lost, metrics: { ...view.metrics, measured_by: "cv" } });
    await settle();
    expect(figures(0)[2]).toEqual(["expected", "31\u00a0%not found again"]);
    stage.model.receive("view", { ...lost, metrics: { ...view.metrics, measured_by: "none" } });
    await settle();
    expect(figures(0)[2]).toEqual(["expected", "31\u00a0%"]);
    expect(one('[data-rule="0"] [title*="expected to differ"]')).toBeTruthy();
    const old = { ...view.metrics, measured_by: null, on_holdout: true };
    stage.model.receive("view", { ...view, metrics: old });
    await settle();
    expect(figures(0)).toHaveLength(4);
  });
});

describe("rules of agreement", () => {
  const view = fixtures.mostlyDifferent();
  const agreeing = view.rules.find(({ agrees }) => agrees);
  if (!agreeing) throw new Error("no rule of agreement");

  it("are folded below the others, and are never called a difference", async () => {
    await show(view);
    const listed = () => all("[data-rule]").map((item) => Number(item.dataset.rule));
    expect(one(".imd-section").textContent).toBe("1 rule of agreement");
    expect(listed()).toEqual([0, 1]);
    await click(one(".imd-section"));
    expect(one(".imd-section").getAttribute("aria-expanded")).toBe("true");
    expect(listed()).toEqual([0, 1, 2]);
    await click(card(2).querySelector(".imd-row") as HTMLElement);
    const text = card(agreeing.number).textContent ?? "";
    expect(text).toContain("They agree");
    expect(text).not.toMatch(/differ|→/);
    const agree = agreeing.support - agreeing.differing;
    expect(figures(agreeing.number)[1]).toEqual([
      "agree",
      `${percent(1 - (agreeing.rate ?? 0))}${agree} of ${agreeing.support}`,
    ]);
    for (const element of card(agreeing.number).querySelectorAll<HTMLElement>("[title]"))
      expect(element.title).not.toContain("differ");
  });

  it("are open where there are no others", async () => {
    const alone = { ...agreeing, number: 0 };
    await stage.show({ ...view, rules: [alone] });
    expect(all("[data-rule]")).toHaveLength(1);
  });

  it("are no outcome to filter by", async () => {
    await showWith("outcomes", view);
    expect(all("[data-outcome]").map((cell) => cell.dataset.outcome)).toEqual(["0,1", "1,0"]);
    await click(one('[data-outcome="1,0"]'));
    expect(all("[data-rule]").map((item) => item.dataset.rule)).toEqual(["0"]);
    expect(all(".imd-section")).toHaveLength(0);
  });

  it("are one box of the tree, which says how often, and opens", () => {
    const index = indexNodes(view.nodes);
    const [id] = agreeing.nodes as [string];
    const draw = (folds: Map<string, boolean>, differencesOnly = true) =>
      flatten(visibleTree(index, { differencesOnly, folds }));
    expect(draw(new Map()).find((box) => box.id === id)).toMatchObject({
      kind: "stub",
      foldable: true,
    });
    const open = draw(new Map([[id, false]]));
    expect(open.find((box) => box.id === id)).toMatchObject({ kind: "split", foldable: true });
    expect(open.filter((box) => box.id.startsWith(id)).length).toBeGreaterThan(2);
    expect(draw(new Map(), false).find((box) => box.id === id)?.kind).toBe("split");
  });

  it("light their box when they are picked", async () => {
    await show(view);
    await click(one(".imd-section"));
    await click(card(agreeing.number));
    const box = one(`[data-node="${agreeing.nodes[0]}"]`);
    expect(box.classList).toContain("is-lit");
    expect(box.textContent).toContain(`agree ${percent(1 - (agreeing.rate ?? 0))}`);
    expect(box.textContent).not.toContain("≠");
  });
});

describe("groups", () => {
  const view = fixtures.mostlyDifferent();

  it("are listed with their rate in the rule and over all rows", async () => {
    await showOpen(view);
    const table = card(0).querySelector("table");
    expect(table?.querySelector("caption")?.textContent).toBe("Affected groups");
    const lines = [...(table?.querySelectorAll("tbody tr:has(th)") ?? [])].map((line) =>
      [...line.children].map((cell) => cell.textContent),
    );
    expect(lines).toEqual(
      groupsInside(view, view.rules[0] as never).map(({ inside, all: whole }) => [
        inside.value,
        String(inside.rows),
        percent(inside.rate),
        percent(whole?.rate ?? null),
      ]),
    );
    expect(lines).toHaveLength(3);
    // the group whose rate is furthest from its own over all rows comes first
    expect(lines[0]?.[0]).not.toBe("Rome");
    expect(card(1).querySelector(".imd-by > small")?.textContent).toBe(
      "No rows inside: Bonn, Oslo",
    );
  });

  it("say how their rows differ, and what is fixed and broken", async () => {
    const group = view.rules[0]?.by?.[0];
    if (!group) throw new Error("no group");
    const ways = [
      { text: "search -> no", rows: 871, share: 0.97 },
      { text: "no -> search", rows: 25, share: 0.03 },
    ];
    const plain = { ...group, ways, correctness: null };
    expect(groupWords(plain)).toBe("871 search → no, 25 no → search");
    const right = {
      both: 1,
      first: 40,
      second: 3,
      neither: 0,
      unknown: 0,
      errors: null,
      rmse: null,
    };
    const rest = {
      mean_y: null,
      mean_outputs: null,
      losses: [],
      effective_rows: 44,
      degrees: null,
    };
    const correctness = { ...right, ...rest };
    expect(groupWords({ ...plain, correctness })).toBe(
      "871 search → no, 25 no → search; fixes 3, breaks 40",
    );
    expect(groupWords({ ...plain, ways: [], correctness })).toBe("fixes 3, breaks 40");
    const rules = view.rules.map((rule) => ({ ...rule, by: [{ ...plain, correctness }] }));
    await showOpen({ ...view, rules });
    expect(card(0).querySelector(".imd-by tbody tr + tr")?.textContent).toContain("fixes 3");
  });

  it("are shown as text, however they are called, and not at all without a grouping", async () => {
    const value = "<img src=x onerror=alert(1)>";
    const first = view.rules[0]?.by?.[0];
    if (!first || !view.by) throw new Error("no groups");
    const rules = view.rules.map((rule) => ({ ...rule, by: [{ ...first, value }] }));
    await showOpen({ ...view, rules, by: { name: "<b>town</b>", groups: [{ ...first, value }] } });
    expect(card(0).querySelector("tbody th")?.textContent).toBe(value);
    expect(all("img, thead b")).toHaveLength(0);
    stage.model.receive("view", fixtures.breastCancer());
    await settle();
    expect(all(".imd-by")).toHaveLength(0);
  });
});

describe("stability", () => {
  it("is requested, reports its progress, can be cancelled, and marks what is not found again", async () => {
    const view = fixtures.breastCancer();
    await showOpen(view);
    const button = one('[data-testid="imd-stability"]');
    expect(button.textContent).toBe("Check stability");
    await click(button);
    expect(lastSent().kind).toBe("stability");
    await new Promise((resolve) => setTimeout(resolve, 350));
    expect(one('[data-testid="imd-status"]').textContent).toContain("Measuring stability");
    stage.model.answer({ id: lastSent().id, progress: { done: 7, total: 20 } });
    await settle();
    expect(one('[data-testid="imd-status"]').textContent).toContain("resample 7 of 20");
    const { id } = lastSent();
    await click(one('[data-testid="imd-cancel"]'));
    expect(lastSent()).toMatchObject({ kind: "cancel", of: id });
    stage.model.answer({ id, error: "Cancelled" });
    await settle();
    expect(one('[data-testid="imd-status"]').textContent).toContain("Cancelled");
    await click(button);
    const found = view.rules.map((_, i) => (i === 0 ? 16 : i === 1 ? 10 : 9));
    stage.model.receive("stability", { n: 20, found, overlap: view.rules.map(() => 0.714) });
    stage.model.answer({ id: lastSent().id });
    await settle();
    const lines = [0, 1, 2].map((number) =>
      card(number).querySelector('[data-testid="imd-found"]'),
    );
    expect(lines[0]?.textContent).toBe("Found again in 16 of 20 resamples, overlap 0.71");
    expect(lines.map((line) => line?.classList.contains("is-shaky"))).toEqual([false, false, true]);
    expect(lines[2]?.textContent).toContain("Not stable: found again in only 9 of 20");
    expect(button.getAttribute("aria-disabled")).toBe("true");
    stage.model.receive("stability", null);
    await settle();
    expect(all('[data-testid="imd-found"]')).toHaveLength(0);
  });

  it("is disabled on a page with the reason, and absent without a rule", async () => {
    await show({ ...fixtures.breastCancer(), lacks: { stability: "Not here." } });
    expect(one('[data-testid="imd-stability"]').title).toBe("Not here.");
    await click(one('[data-testid="imd-stability"]'));
    expect(stage.model.sent).toEqual([]);
    stage.model.receive("view", fixtures.noDifference());
    await settle();
    expect(all('[data-testid="imd-stability"]')).toHaveLength(0);
  });
});
