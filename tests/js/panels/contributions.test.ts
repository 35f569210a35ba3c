// What adds up to the gap: the lines and bars of contributions, and what if the rule did not hold.

import { describe, expect, it } from "vitest";
import {
  barScale,
  baseLine,
  columnLines,
  levelLine,
  scaleFrom,
  stepsOf,
} from "../../../js/panels/contributionLines";
import * as fixtures from "../fixtures";
import { CONDITIONS, CONTRIBUTIONS, MANY, WHY } from "./whyAnswers";
import { useWhyStage } from "./whyStage";

const { all, answer, click, id, ids, one, show } = useWhyStage();
const open = async (why = WHY) => {
  await show(fixtures.houses(), { tab: "Why", selected_rules: [0] });
  await answer("explain", { why });
};

describe("the lines", () => {
  const lines = columnLines(CONTRIBUTIONS, 2);

  it("are the first columns and all others together, and add up to the gap", () => {
    expect(lines.map(({ name }) => name)).toEqual(["age", "<b>job</b>", "all other columns"]);
    for (const most of [0, 1, 2, 3, Infinity]) {
      const own = columnLines(CONTRIBUTIONS, most);
      const sum = own.reduce((total, { difference }) => total + difference, 0);
      expect(sum + CONTRIBUTIONS.base_gap).toBeCloseTo(CONTRIBUTIONS.gap);
    }
    expect(columnLines(CONTRIBUTIONS, 3).at(-1)?.name).toBe("18 other columns");
    expect(columnLines({ ...CONTRIBUTIONS, others: null }, 3).length).toBe(3);
  });

  it("have one scale with 0 and every whisker on it", () => {
    const place = barScale([...lines, baseLine(CONTRIBUTIONS)]);
    expect(place(0.5)).toBeCloseTo(99);
    expect(place(-0.61)).toBeCloseTo(1);
    expect(place(0)).toBeGreaterThan(place(-0.1));
    expect(barScale([])(0)).toBe(1);
    expect(scaleFrom([2, 2])(2)).toBe(1);
  });

  it("are a waterfall for either model, from the mean of all rows to the score", () => {
    const all = [baseLine(CONTRIBUTIONS), ...lines, levelLine(CONTRIBUTIONS, "this row")];
    const steps = stepsOf(all);
    for (const side of [0, 1] as const) {
      const own = steps.map((step) => step[side]);
      for (const [i, { from }] of own.entries())
        if (i > 0) expect(from).toBeCloseTo(own[i - 1]?.to ?? Number.NaN);
      expect(own[0]).toEqual({ from: CONTRIBUTIONS.base[side], to: CONTRIBUTIONS.base[side] });
      expect(own.at(-2)?.to).toBeCloseTo(CONTRIBUTIONS.level[side]);
    }
  });
});

describe("the chart", () => {
  const rows = () =>
    all(".imd-contributions tbody tr").map((row) =>
      [...row.children].map((cell) => cell.textContent),
    );

  it("has a table with the numbers of both models, and the sum", async () => {
    await open();
    const [first, second] = fixtures.houses().names;
    expect(all(".imd-contributions thead th").map((cell) => cell.textContent)).toEqual([
      "column",
      "",
      first,
      second,
      `${first} − ${second}`,
    ]);
    expect(rows()).toEqual([
      ["age", "", "−0.10", "+0.50", "−0.60 ±0.010"],
      ["<b>job</b>", "", "−0.20", "0.00", "−0.20 ±0.020"],
      ["pay", "", "+0.05", "0.00", "+0.05 ±0.004"],
      ["18 other columns", "", "+0.05", "0.00", "+0.05"],
      ["mean of all rows", "", "0.30", "0.40", "−0.10"],
      ["gap here", "", "0.10", "0.90", "−0.80"],
    ]);
    expect(all(".imd-contributions b")).toEqual([]);
  });

  it("writes the figures as they are printed, so that they add up", async () => {
    // 0.044 + 0.044 + 0.044 + 0.044 = 0.176: 0.04 four times is not 0.18
    const figures = [0.05, 0.05, 0.04, 0.04];
    const columns = figures.map((printed, i) => ({
      ...(CONTRIBUTIONS.columns[0] as (typeof CONTRIBUTIONS.columns)[0]),
      column: `c${i}`,
      difference: 0.044,
      printed: [printed, 0, printed] as [number, number, number],
    }));
    const printed_level: [number, number, number] = [0.18, 0, 0.18];
    const sum = { columns, others: null, base_gap: 0, printed_base: [0, 0, 0], gap: 0.176 };
    await open({
      ...WHY,
      contributions: { ...CONTRIBUTIONS, ...sum, printed_level } as typeof CONTRIBUTIONS,
    });
    const shown = rows().map((cells) => Number.parseFloat(cells.at(-1) ?? ""));
    expect(shown).toEqual([...figures, 0, 0.18]);
  });

  it("has three bars for a column and a whisker, and one bar for a sum", async () => {
    await open();
    const [age, , , others, base, sum] = all(".imd-contributions tbody tr");
    const bars = [...(age?.querySelectorAll("rect") ?? [])];
    expect(bars.map((bar) => bar.getAttribute("class"))).toEqual([
      "is-first",
      "is-second",
      "is-difference",
    ]);
    const widths = bars.map((bar) => Number.parseFloat(bar.getAttribute("width") ?? ""));
    expect((widths[1] ?? 0) / (widths[0] ?? 1)).toBeCloseTo(5);
    expect(age?.querySelectorAll(".is-error").length).toBe(1);
    expect(others?.querySelectorAll(".is-error").length).toBe(0);
    expect(base?.querySelectorAll("rect").length).toBe(1);
    expect(sum?.querySelectorAll("svg").length).toBe(0);
  });

  it("names what one model does not use, states the sum, and how it was computed", async () => {
    await open();
    const text = id("contributions").textContent ?? "";
    for (const sentence of [...CONTRIBUTIONS.unused, CONTRIBUTIONS.total, CONTRIBUTIONS.note])
      expect(text).toContain(sentence);
    expect(all('[data-testid="imd-contributions"] button')).toEqual([]);
  });

  it("shows the first columns, and more on demand", async () => {
    await open({ ...WHY, contributions: MANY });
    expect(rows().map(([name]) => name)).toContain("all other columns");
    expect(rows().length).toBe(9);
    const [more] = all('[data-testid="imd-contributions"] button');
    expect(more?.getAttribute("aria-expanded")).toBe("false");
    await click(more);
    expect(rows().length).toBe(11);
    expect(rows().map(([name]) => name)).not.toContain("all other columns");
  });
});

describe("contributions that average out", () => {
  it("are drawn by their size, without signs, errors and a sum", async () => {
    await open({ ...WHY, contributions: { ...MANY, averages_out: true } });
    expect(id("contributions").textContent).toContain("Mean absolute contribution of each column");
    const rows = all(".imd-contributions tbody tr");
    expect(rows.length).toBe(6);
    expect(rows[0]?.textContent).toBe("age0.100.500.60");
    expect(all(".is-error")).toEqual([]);
    // 0.60 is not 0.10 less 0.50
    expect(all(".imd-contributions thead th").at(-1)?.textContent).toBe("difference");
    const [zero] = all(".imd-contributions .is-zero");
    expect(zero?.getAttribute("x1")).toBe("1%");
  });
});

describe("what if the rule did not hold", () => {
  it("has a chart and a sentence for each condition, the one with most effect first", async () => {
    await open();
    const charts = all('[data-testid="imd-conditions"] .imd-curve');
    expect(charts.map((chart) => chart.dataset.column)).toEqual(["<b>job</b>", "age"]);
    expect(charts.map((chart) => chart.querySelector(".imd-reading")?.textContent)).toEqual([
      CONDITIONS[1]?.sentence,
      CONDITIONS[0]?.sentence,
    ]);
    expect(charts.map((chart) => chart.querySelectorAll("tbody tr").length)).toEqual([2, 4]);
    expect(charts.map((chart) => chart.querySelectorAll(".is-interval").length)).toEqual([1, 1]);
    // both models where the sentence is about, and where a value is missing
    expect(charts[1]?.querySelectorAll("circle").length).toBe(4);
  });

  it("is read at each value, and shows which values the rule has", async () => {
    await open();
    const chart = one('[data-testid="imd-conditions"] [data-column="age"]');
    const button = chart.querySelector("button") as HTMLElement;
    button.dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true }));
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(chart.querySelector(".imd-reading")?.textContent).toMatch(/^20: /);
    await click(button);
    expect(chart.textContent).toContain("Shaded: age < 40");
  });

  it("shows two conditions at first, and the others on demand", async () => {
    const third = { ...CONDITIONS[0], text: "age > 10", gap_there: null, sentence: null };
    await open({ ...WHY, conditions: [...CONDITIONS, third as (typeof CONDITIONS)[0]] });
    expect(all('[data-testid="imd-conditions"] .imd-curve').length).toBe(2);
    const [more] = all('[data-testid="imd-conditions"] .imd-text-button');
    expect(more?.textContent).toBe("Show 1 more condition");
    await click(more);
    const charts = all('[data-testid="imd-conditions"] .imd-curve');
    expect(charts.length).toBe(3);
    expect(charts[2]?.querySelector(".imd-reading")?.textContent).toContain("furthest apart at");
  });

  it("is about the path to a node, where no rule is selected", async () => {
    const { nodes } = fixtures.houses();
    await show(fixtures.houses(), { tab: "Why", selected_node: nodes[1]?.id ?? "" });
    await answer("explain", { why: WHY });
    const heading = one('[data-testid="imd-conditions"] h4').textContent;
    expect(heading).toBe("What if a condition of this node did not hold?");
  });

  it("is left out for all rows", async () => {
    await open({ ...WHY, conditions: [] });
    expect(ids("conditions")).toEqual([]);
  });
});
