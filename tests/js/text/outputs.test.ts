// Values, probabilities, many classes, weights and ground truth: what differs from two models of a few classes.

import { describe, expect, it } from "vitest";
import { outcomeKey } from "../../../js/panels/filter";
import { errorWords, rightTitle, rightWords } from "../../../js/panels/Right";
import type { DiffView, NodeView, OutputsView, RightView } from "../../../js/protocol/types";
import { amount, percent } from "../../../js/text/format";
import { doubtOf, scalePosition, titleText } from "../../../js/text/outcome";
import { detailOf } from "../../../js/text/ruleDetail";
import { type Content, contentOf, leafLabelsOf } from "../../../js/tree/content";
import { describe as describeBox } from "../../../js/tree/describe";
import { roughMeasure } from "../../../js/tree/measure";
import { type Box, flatten, indexNodes, visibleTree } from "../../../js/tree/visible";
import { classColor, GREY, outcomeColor, scaleColor } from "../../../js/ui/colors";
// Written by pytest.
import titles from "../../golden/titles.json";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, one, show, showOpen } = stage;

const press = async (selector: string) => {
  one(selector).dispatchEvent(new MouseEvent("click", { bubbles: true }));
  await settle();
};

const boxesOf = (view: DiffView, folds = new Map<string, boolean>()) =>
  flatten(visibleTree(indexNodes(view.nodes), { differencesOnly: false, folds }));
const contentIn = (view: DiffView, box: Box): Content =>
  contentOf(box, { ...view, measure: roughMeasure });
const leavesOf = (view: DiffView) => view.nodes.filter(({ kind }) => kind === "leaf");
/** The leaf of each leafLabel that is drawn. */
const drawnLeaves = (box: Box): NodeView[] => box.pair ?? (box.kind === "leaf" ? [box.node] : []);

/** CIE lightness of "#rrggbb". */
function lightness(color: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 116 * Math.cbrt(0.2126 * r + 0.7152 * g + 0.0722 * b) - 16;
}

describe("the colour of a number", () => {
  it("is lighter for more, in even steps, and clear of a white and of a dark ground", () => {
    const at = Array.from({ length: 9 }, (_, i) => lightness(scaleColor(i / 8)));
    const steps = at.slice(1).map((light, i) => light - (at[i] ?? 0));
    for (const step of steps) {
      expect(step).toBeGreaterThan(4);
      expect(step).toBeLessThan(8);
    }
    expect(at[0]).toBeGreaterThan(lightness("#15181d") + 20);
    expect(at[8]).toBeLessThan(85);
  });

  it("goes by the place between the ends, and no further", () => {
    const outputs = { ...fixtures.houses().outputs, low: 120_000, high: 480_000 };
    const place = (value: number) => scalePosition(outputs, { label: null, value });
    expect([120_000, 300_000, 480_000].map(place)).toEqual([0, 0.5, 1]);
    expect([-1, 9e9].map(place)).toEqual([0, 1]);
    expect(scalePosition({ ...outputs, low: 5, high: 5 }, { label: null, value: 5 })).toBe(0.5);
    expect(outcomeColor(outputs, { label: null, value: 120_000 })).toBe(scaleColor(0));
    expect(outcomeColor(outputs, { label: null, value: 480_000 })).not.toBe(scaleColor(0));
  });

  it("is one of few, however many values there are", () => {
    const colors = Array.from({ length: 2000 }, (_, i) => scaleColor(i / 1999));
    expect(new Set(colors).size).toBeLessThan(60);
    for (const color of colors) expect(color).toMatch(/^#[0-9a-f]{6}$/);
  });

  it("is that of the class where the models give classes", () => {
    const { outputs } = fixtures.small();
    expect(outcomeColor(outputs, { label: 1, value: null })).toBe(classColor(outputs, 1));
    expect(outcomeColor(outputs, { label: 299, value: null })).toBe(GREY);
  });
});

describe.each([
  ["values", fixtures.houses],
  ["probabilities", fixtures.chances],
])("the boxes of %s", (_, make) => {
  const view = make();

  it("say what the leaves say, how far it spreads, and where it lies", () => {
    const { low, high } = view.outputs as OutputsView & { low: number; high: number };
    let met = 0;
    for (const box of boxesOf(view)) {
      const leafLabels = leafLabelsOf(contentIn(view, box));
      for (const [i, node] of drawnLeaves(box).entries()) {
        const value = node.value as number;
        expect(leafLabels[i]).toMatchObject({ text: node.said, doubt: node.spread });
        const at = Math.min(1, Math.max(0, (value - low) / (high - low)));
        expect(leafLabels[i]?.bar).toEqual({ kind: "place", at });
        expect(leafLabels[i]?.color).toBe(scaleColor(at));
        met += 1;
      }
    }
    expect(met).toBe(leavesOf(view).length);
    const spreads = leavesOf(view).map(({ spread }) => spread);
    expect(spreads).toContain(null);
    expect(spreads.some((spread) => spread?.startsWith("± "))).toBe(true);
  });

  it("draw a mark on a line, inside it, in place of a bar", async () => {
    await show(view);
    await press('[data-testid="imd-all"]');
    expect(all(".imd-place")).toHaveLength(leavesOf(view).length);
    expect(all(".imd-bar")).toHaveLength(0);
    for (const mark of all(".imd-place")) {
      const line = mark.previousElementSibling as HTMLElement;
      const number = (of: HTMLElement, name: string) => Number(of.getAttribute(name));
      expect(number(mark, "x")).toBeGreaterThanOrEqual(number(line, "x"));
      expect(number(mark, "x") + number(mark, "width")).toBeLessThanOrEqual(
        number(line, "x") + number(line, "width") + 1e-9,
      );
    }
  });
});

describe("a rule of values that go either way", () => {
  it("has no arrow, and counts the rows above and below", async () => {
    const view = fixtures.houses();
    const [rule] = view.rules;
    if (!rule) throw new Error("no rule");
    const before = "more than 5 apart either way, on average";
    const title = { title_before: before, title_link: "and", title_more: "either way" };
    const either = { ...rule, ...title, direction: "either" as const, up: 486, down: 483 };
    const said = detailOf(view, either).join(" ");
    expect(said).toContain("is higher on 486 rows, lower on 483.");
    await stage.showOpen({ ...view, rules: [either] });
    const shown = stage.el.querySelector("[data-rule] .imd-outcomes")?.textContent ?? "";
    expect(shown).toContain("either way");
    expect(shown).not.toContain("→");
    expect(outcomeKey(either)).toBe("either way");
    const onlyUp = { ...rule, direction: "up" as const, up: 5, down: 0 };
    expect(detailOf(view, onlyUp)).toEqual([]);
  });
});

describe("the title of a rule", () => {
  it.each(Object.entries(titles))("is what Python writes: %s", (name, texts) => {
    const shown = fixtures.viewNamed(name).rules.map(titleText);
    expect(shown.map((text) => text.replaceAll("\u00a0", " "))).toEqual(texts);
  });
});

describe("a folded difference of values", () => {
  const view = fixtures.houses();
  const busy = view.nodes.find(({ kind, rules }) => kind === "or" && rules.length > 2) as NodeView;
  const summaries = (of: DiffView) => {
    const box = boxesOf(of, new Map([[busy.id, true]])).find(({ id }) => id === busy.id) as Box;
    const content = contentIn(of, box);
    return content.kind === "or" ? content.summaries : [];
  };

  it("gives the two rules with most differing rows", () => {
    const most = busy.rules
      .map((number) => view.rules[number] as DiffView["rules"][number])
      .sort((a, b) => b.differing - a.differing)
      .slice(0, 2);
    expect(summaries(view).map(({ texts }) => texts)).toEqual(most.map(({ said }) => said));
    expect(summaries(view)[0]?.colors).toEqual(
      most[0]?.values?.map((value) => outcomeColor(view.outputs, { label: null, value })),
    );
  });

  it("keeps rules apart that read the same, while classes are put together", () => {
    const alike = view.rules.map((rule) => ({ ...rule, said: ["1", "2"] as [string, string] }));
    expect(summaries({ ...view, rules: alike })).toHaveLength(2);
    const classes = alike.map((rule) => ({ ...rule, outcomes: [0, 1] as [number, number] }));
    expect(summaries({ ...view, rules: classes })).toHaveLength(1);
  });
});

describe("hatches", () => {
  it.each([
    ["values", fixtures.houses],
    ["three classes", fixtures.threeClasses],
    ["many classes", fixtures.manyClasses],
  ])("are there for what is impure, and for nothing else: %s", async (_, make) => {
    const view = make();
    await show(view);
    await press('[data-testid="imd-all"]');
    const bands = all(".imd-band").map((band) => band.getAttribute("style") ?? "");
    const used = bands.flatMap((style) => /url\(["']?#([^"')]+)/.exec(style)?.[1] ?? []);
    const impure = leavesOf(view).filter((leaf) => doubtOf(leaf) !== null);
    expect(impure.length).toBeGreaterThan(0);
    expect(used).toHaveLength(impure.length);
    const patterns = all("pattern").map(({ id }) => id);
    expect(patterns.toSorted()).toEqual([...new Set(used)].toSorted());
    expect(bands.length).toBe(leavesOf(view).length);
  });
});

describe("many classes", () => {
  it("name eight and count the others", async () => {
    const view = fixtures.manyClasses();
    await show(view);
    expect(view.classes.length).toBeGreaterThan(100);
    expect(all(".imd-legend .imd-swatch")).toHaveLength(8);
    expect(one(".imd-legend").textContent).toContain(`and ${view.classes.length - 8} more`);
    expect(all("pattern").length).toBeLessThanOrEqual(9);
    expect(one("[data-rule]").textContent).toContain("product ");
  });
});

describe("a rule in words", () => {
  const said = (card: HTMLElement) => card.querySelector(".imd-outcomes")?.textContent ?? "";

  it("is about values", async () => {
    const view = fixtures.houses();
    await stage.showOpen(view);
    const rule = view.rules.toSorted((a, b) => b.differing - a.differing)[0];
    const [first, second] = rule?.said ?? [];
    expect(said(one("[data-rule]"))).toBe(`linear: about ${first}→boosting: about ${second}`);
    const swatch = one("[data-rule] .imd-swatch").getAttribute("style") ?? "";
    const value = rule?.values?.[0] ?? null;
    expect(swatch).toContain(outcomeColor(view.outputs, { label: null, value }));
  });

  it("is the probability, or the class, itself", async () => {
    const view = fixtures.chances();
    await stage.showOpen(view);
    for (const card of all("[data-rule]")) {
      const rule = view.rules[Number(card.dataset.rule)];
      expect(said(card)).toBe(`LR: ${rule?.said[0]}→RF: ${rule?.said[1]}`);
    }
  });

  it("takes its words from Python, not from the list of classes", async () => {
    const view = fixtures.small();
    const rules = view.rules.map((rule) => ({ ...rule, said: ["ja", "nein"] as [string, string] }));
    await stage.showOpen({ ...view, rules });
    expect(said(one("[data-rule]"))).toBe("old: ja→new: nein");
    const swatches = all("[data-rule] .imd-swatch").map((swatch) => swatch.getAttribute("style"));
    for (const [side, label] of (view.rules[0]?.outcomes ?? []).entries())
      expect(swatches[side]).toContain(classColor(view.outputs, label));
  });
});

describe("the legend", () => {
  it("shows the scale of values with its ends, and when they differ", async () => {
    await show(fixtures.houses());
    const text = one(".imd-legend").textContent ?? "";
    expect(text).toContain("value 170k430k");
    expect(text).toContain("differ: more than 20000 apart");
    expect(one(".imd-legend .imd-scale").getAttribute("style")).toContain("linear-gradient");
    expect(all(".imd-legend .imd-swatch")).toHaveLength(0);
    expect(text).not.toContain("weight");
  });

  it("shows classes without a scale", async () => {
    await show(fixtures.threeClasses());
    expect(all(".imd-legend .imd-swatch")).toHaveLength(3);
    expect(all(".imd-scale")).toHaveLength(0);
    expect(one(".imd-legend").textContent).not.toContain("differ:");
  });

  it("says that percentages are weighted", async () => {
    await show(fixtures.weighted());
    expect(one(".imd-legend").textContent).toContain("weighted percentages");
  });
});

describe("the help", () => {
  it.each([
    [
      "classes",
      () => fixtures.breastCancer(),
      "how often it is the one shown",
      "its position on the scale",
    ],
    ["values", fixtures.houses, "its position on the scale", "how often it is the one shown"],
  ])("explains the leaves of %s", async (_, make, there, missing) => {
    await show(make());
    await press(".imd-help-button");
    expect(one(".imd-help").textContent).toContain(there);
    expect(one(".imd-help").textContent).not.toContain(missing);
    expect(one(".imd-help").textContent).not.toContain("Who is right");
  });

  it("explains when a row differs, and who is right only if that is known", async () => {
    await show({ ...fixtures.chances(), right: fixtures.judged().right });
    await press(".imd-help-button");
    expect(one(".imd-help").textContent).toContain(
      "the rows on which they are more than 0.1 apart",
    );
    expect(one(".imd-help").textContent).toContain("Who is right");
  });
});

describe("the figures in the help", () => {
  it("show how they were measured, and how good the rules are", async () => {
    const view = fixtures.small();
    await show(view);
    await press(".imd-help-button");
    const text = one('[data-testid="imd-figures"]').textContent;
    expect(text).toContain("by five-fold cross-fitting");
    expect(text).toContain(`differing: ${view.metrics.mcc?.toFixed(2)}.`);
    expect(text).toContain(`rules: ${view.metrics.explained?.toFixed(2)}.`);
    const metrics = { ...view.metrics, measured_by: null, on_holdout: true, mcc: null };
    stage.model.receive("view", { ...view, metrics });
    await settle();
    expect(one('[data-testid="imd-figures"]').textContent).toContain("on held-out rows");
    expect(one('[data-testid="imd-figures"]').textContent).not.toContain("Matthews");
  });
});

describe("the text for a screen reader", () => {
  const sentence = (view: DiffView, id: string, folds = new Map<string, boolean>()) => {
    const box = boxesOf(view, folds).find((other) => other.id === id);
    if (!box) throw new Error(`no box ${id}`);
    return describeBox(box, view);
  };

  it("describe the leaves of a pair", () => {
    expect(sentence(fixtures.houses(), "ryn")).toMatch(
      /^linear: about 170k; boosting: about 170k\. /,
    );
    expect(sentence(fixtures.chances(), "rny")).toMatch(/^LR: 0\.93; RF: 0\.6\d ± 0\.0\d+\. /);
    expect(sentence(fixtures.chances(), "rnn")).toMatch(/^LR: 0\.99; RF: 0\.97\. /);
    expect(sentence(fixtures.small(), "rn")).toMatch(
      /^old: yes \(\d+\s% of rows\); new: no \(\d+\s% of rows\)\. /,
    );
  });

  it("describe a single leaf", () => {
    const view = fixtures.houses();
    for (const box of boxesOf(view).filter(({ kind }) => kind === "leaf")) {
      const { node } = box;
      const who = view.names[node.side - 1];
      const spread = node.spread === null ? "" : ` ${node.spread}`;
      expect(describeBox(box, view)).toContain(`${who}: about ${node.said}${spread}. `);
    }
  });
});

describe("the headline", () => {
  it("says what else is to be known on lines of their own", async () => {
    const view = fixtures.judged();
    const notes = ["On the 300 rows with y, ...", "Half of the rows are at most 3 apart."];
    await stage.showWith("details", { ...view, headline: { ...view.headline, notes } });
    const shown = [...document.querySelectorAll(".imd-details p")].map((note) => note.textContent);
    expect(shown.slice(1)).toEqual(notes);
  });
});

describe("weights", () => {
  it("give the mark of a rule its share by weight", async () => {
    const view = fixtures.weighted();
    const [rule] = view.rules as [DiffView["rules"][number]];
    const [share, ofRows] = [rule.rate ?? 0, rule.differing / rule.support].map(percent);
    expect(share).not.toBe(ofRows);
    await stage.showOpen(view);
    expect(one('[data-or="true"] .imd-badge').textContent).toBe(`≠ ${share}`);
    const figures = `${share}${rule.differing} of ${rule.support} rows`;
    expect(one("[data-rule] .imd-figures").textContent).toContain(figures);
  });

  it("need not be whole", () => {
    expect([0, 3, 2.25, 1234.5].map(amount)).toEqual(["0", "3", "2.3", "1,235"]);
  });
});

describe("who is right", () => {
  const names: DiffView["names"] = ["LR", "RF"];
  const of = (fields: Partial<RightView>): RightView => ({
    ...{ both: 0, first: 0, second: 0, neither: 0, unknown: 0, within: null, errors: null },
    ...{ rmse: null, mean_y: null, mean_outputs: null, closer: null },
    ...{ net_interval: null, p_value: null, loss: null },
    ...fields,
  });
  const words = (fields: Partial<RightView>) =>
    rightWords(of(fields), names)
      .map(({ text }) => text)
      .join(", ");

  it("is said of the better model first", () => {
    expect(words({ first: 12, second: 30, neither: 2, both: 6 })).toBe(
      "RF right on 30, LR on 12, neither on 2",
    );
    expect(words({ first: 12, second: 3 })).toBe("LR right on 12, RF on 3");
    expect(words({ first: 0.5, second: 2.25 })).toBe("RF right on 2.3, LR on 0.5");
  });

  it("is said where it is nobody alone, and not where it is not known", () => {
    expect(words({ neither: 4 })).toBe("neither right on 4");
    expect(words({ both: 4, neither: 1 })).toBe("both right on 4, neither on 1");
    expect(words({ unknown: 9 })).toBe("");
  });

  it("is said of values by their errors, and within the tolerance in the order of the models", () => {
    const right = of({
      ...{
        first: 65,
        second: 112,
        within: "within 2",
        errors: ["3.1", "2.2"],
        rmse: ["5.6", "4.1"],
      },
      ...{ mean_y: "6.76", mean_outputs: ["4.01", "6.68"], closer: 1 },
    });
    expect(words(right)).toBe("LR within 2 of y on 65, RF on 112");
    expect(errorWords(right, names)).toEqual([
      "y is 6.76 on average, LR 4.01, RF 6.68",
      "mean absolute error LR 3.1, RF 2.2; root mean squared error 5.6, 4.1: RF is closer",
    ]);
    expect(errorWords({ ...right, closer: null }, names)[1]).not.toContain("closer");
    expect(errorWords(of({ first: 1 }), names)).toEqual([]);
    expect(rightTitle(right, names, false)).toContain("only LR is within 2 of y on 65");
  });

  it("has a title with all counts and what they mean", () => {
    const right = of({ first: 12, second: 30, neither: 2, both: 6, unknown: 5 });
    expect(rightTitle(right, names, false)).toBe(
      "Inside the rule: only LR is right on 12, only RF on 30, both on 6, neither on 2, " +
        "unknown on 5. Going from LR to RF fixes 30 and breaks 12.",
    );
    expect(rightTitle(of({ first: 1 }), names, false)).not.toContain("unknown");
    expect(rightTitle(right, names, true)).toContain("By weight");
  });

  it("is a bar of its parts on the card, without any hue", async () => {
    const view = fixtures.judged();
    await stage.showOpen(view);
    expect(all(".imd-right")).toHaveLength(view.rules.length);
    for (const card of all("[data-rule]")) {
      const right = view.rules[Number(card.dataset.rule)]?.right as RightView;
      const parts = [...card.querySelectorAll<HTMLElement>(".imd-right-bar i")];
      const drawn = parts.map((part) => [
        part.className,
        Number(/flex-grow:\s*([\d.]+)/.exec(part.getAttribute("style") ?? "")?.[1]),
      ]);
      const wanted = (["first", "second", "neither", "both"] as const)
        .filter((part) => right[part] > 0)
        .map((part) => [`is-${part}`, right[part]]);
      expect(drawn).toEqual(wanted);
      const line = card.querySelector<HTMLElement>(".imd-right");
      const said = words(right) || "unknown for every row inside";
      expect(line?.querySelector("p")?.textContent).toBe(said);
      expect(line?.title).toContain(`fixes ${right.second} and breaks ${right.first}`);
      expect(line?.innerHTML).not.toMatch(/#[0-9a-f]{6}|rgb\(/);
    }
    expect(view.rules.some(({ right }) => (right?.first ?? 0) > 0)).toBe(true);
    expect(view.rules.some(({ right }) => (right?.second ?? 0) > 0)).toBe(true);
  });

  it("shows the errors of both models for values", async () => {
    const view = fixtures.judged();
    const [rule] = view.rules as [DiffView["rules"][number]];
    const right = of({ first: 3, second: 4, errors: ["12k", "9k"] });
    await stage.showOpen({ ...view, rules: [{ ...rule, right, holdout_right: null }] });
    const text = one(".imd-right").textContent;
    expect(text).toContain(`mean absolute error ${view.names[0]} 12k, ${view.names[1]} 9k`);
  });

  it("is shown for the holdout too, and not at all without ground truth", async () => {
    const view = fixtures.judged();
    const [rule] = view.rules;
    if (!rule) throw new Error("no rule");
    await stage.showOpen({
      ...view,
      rules: [{ ...rule, holdout_right: of({ first: 1, second: 4 }) }],
    });
    expect(one(".imd-right small").textContent).toBe("held-out: RF right on 4, LR on 1");
    stage.leave();
    await stage.showOpen({
      ...view,
      rules: [{ ...rule, right: of({ unknown: 3 }), holdout_right: null }],
    });
    expect(one(".imd-right p").textContent).toBe("unknown for every row inside");
    expect(all(".imd-right-bar, .imd-right small")).toHaveLength(0);
    stage.leave();
    await stage.showOpen(fixtures.breastCancer());
    expect(all(".imd-right")).toHaveLength(0);
  });

  it("is said with an interval on rows not used to fit, beside whether the rule is confirmed", async () => {
    const view = fixtures.judged();
    const [rule] = view.rules as [DiffView["rules"][number]];
    const judged = of({ both: 3, first: 24, second: 3, net_interval: [-26.4, -15.2], p_value: 0 });
    await showOpen({ ...view, rules: [{ ...rule, correctness: judged, confirmed: true }] });
    expect(one(".imd-evidence").textContent).toBe(
      "confirmed: they differ more often here than elsewherenet −21 of 30 held-out rows (−26 to −15)",
    );
    stage.leave();
    const unsure = of({ first: 3, second: 5, net_interval: [-4, 8], p_value: 0.7 });
    await showOpen({ ...view, rules: [{ ...rule, correctness: unsure, confirmed: false }] });
    expect(one(".imd-evidence").textContent).toBe(
      "hint: may be chancenet +2 of 8 held-out rows (−4 to +8, may be chance)",
    );
    stage.leave();
    await showOpen({ ...view, rules: [{ ...rule, correctness: null, confirmed: null }] });
    expect(all(".imd-evidence")).toHaveLength(0);
  });
});
