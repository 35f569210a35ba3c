// Why the models differ: what is asked for, what is drawn of the answer, and how it is read.

import { describe, expect, it } from "vitest";
import {
  areaOf,
  bandOf,
  bandsOf,
  HIGH,
  nearest,
  placesOf,
  rangeOf,
  WIDE,
} from "../../../js/panels/curves";
import type {
  CurveView,
  IceView,
  PointView,
  Request,
  Trace,
  TreeView,
  WhyView,
} from "../../../js/protocol/types";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, click, one, show } = stage;
const id = (name: string) => one(`[data-testid="imd-${name}"]`);
const sent = () => stage.model.sent.filter(({ kind }) => kind === "explain");
const lastSent = () => sent().at(-1) as Request;

const point = (text: string, number: number | null, first: number, second: number): PointView => ({
  text,
  number,
  first,
  second,
  difference: first - second,
  spread: [0.1, 0.1, 0.1],
  support: 0.25,
});

const AGE: CurveView = {
  column: "age",
  position: 0,
  ordered: true,
  moves: 0.3,
  apart: 0.4,
  rows: 300,
  interval: { text: "age < 40", low: null, high: 40 },
  points: [
    point("20", 20, 0.1, 0.1),
    point("30", 30, 0.1, 0.5),
    point("40", 40, 0.1, 0.9),
    point("missing", null, 0.2, 0.4),
  ],
};
const JOB: CurveView = {
  ...AGE,
  column: "<b>job</b>",
  position: 2,
  ordered: false,
  interval: null,
  points: [point("clerk", null, 0.2, 0.4), point("nurse", null, 0.6, 0.5)],
};
const WHY: WhyView = {
  text: "age < 40",
  what: "probability of yes",
  note: null,
  tolerance: 0.2,
  rows: 1234,
  cannot: null,
  lacking: null,
  curves: [AGE, JOB],
  waiting: ["pay", "town"],
  ice: [],
  row: null,
  fidelity: [],
  importance: null,
  trees: null,
};
const TREE: TreeView = {
  name: "the difference",
  what: "probability of yes",
  rmse: 0.1234,
  r2: 0.1,
  n_fit: 90,
  n_aside: 30,
  fidelity: "RMSE 0.123",
  rules: [],
  nodes: [
    { question: "age < 40", yes: 1, no: 2, depth: 0, rows: 90, value: 0.2, text: "0.20" },
    { question: null, yes: null, no: null, depth: 1, rows: 60, value: 0.1, text: "0.10" },
    { question: null, yes: null, no: null, depth: 1, rows: 30, value: 0.4, text: "0.40" },
  ],
};
const WITH_SURROGATES: WhyView = {
  ...WHY,
  importance: [
    { column: "age", forest: [0.2, 0.3, 0.9], loco: [0.1, 0.1, 0.2] },
    { column: "job", forest: [0.8, 0.7, 0.1], loco: [0.4, 0.3, 0] },
  ],
  trees: [{ ...TREE, name: "LR" }, { ...TREE, name: "RF" }, TREE],
  fidelity: [
    {
      technique: "decision tree",
      r2: [1, 1, 0.1],
      rmse: [0, 0, 0],
      text: "D.",
      warning: "Careful.",
    },
    { technique: "random forest", r2: [1, 1, 0.8], rmse: [0, 0, 0], text: "F.", warning: null },
  ],
};
const ICE: IceView = {
  column: "age",
  position: 0,
  value: "30",
  first: [0, 0, 0, 0],
  second: [1, 1, 1, 1],
  difference: [-1, -1, -1, -1],
  outside: [true, true, true],
  text: "LR: 0 for row 7, outside one standard deviation.",
};
const WITH_ROW: WhyView = {
  ...WHY,
  ice: [ICE],
  row: {
    row: 7,
    scores: [0.31, 0.55],
    score_texts: ["0.31", "0.55"],
    cluster: 0,
    klime_baseline: [0.1, 0.2, -0.1],
    klime_predicted: [0.3, 0.5, -0.2],
    loco_baseline: [0.1, 0.2, -0.1],
    loco_predicted: [0.3, 0.5, -0.2],
    reasons: [
      { column: "age", value: "30", klime: [0.22, -0.11, 0.33], loco: [0.01, 0.02, -0.01] },
      { column: "pay", value: "9", klime: [1e-18, 0.05, 0.05], loco: [0.4, 0.1, 0.3] },
    ],
    text: "LR says 0.31: +0.22 from age.",
  },
  fidelity: [
    { technique: "random forest", r2: [1, 1, 0.8], rmse: [0, 0, 0], text: "forest", warning: null },
    { technique: "K-LIME", r2: [1, 1, 0.1], rmse: [0, 0, 0], text: "0.10", warning: "Careful." },
  ],
};
const traced = (rules: number[]): Trace => ({
  row: 7,
  label: "seven",
  nodes: ["r"],
  said: ["a", "b"],
  surrogate: ["a", "b"],
  rules,
  differs: true,
});

async function answer(why: WhyView) {
  stage.model.answer({ id: lastSent().id, why });
  await settle();
}

describe("what is asked for", () => {
  it("is the selection, when the tab is open and when the selection changes", async () => {
    await show(fixtures.houses(), { selected_rules: [1] });
    expect(sent()).toEqual([]);
    await click(one('[data-tab="Why"]'));
    expect(lastSent()).toMatchObject({ rules: [1], node: "", row: null, more: false });
    await answer(WHY);
    expect(id("why-title").textContent).toContain("probability of yes on 1,234 rows inside rule 1");
    stage.model.receive("selected_rules", []);
    await settle();
    expect(lastSent()).toMatchObject({ rules: [], node: "" });
    expect(all(".imd-curve")).toEqual([]);
    expect(id("why-title").textContent).toBe("Why in the whole table");
    await answer({ ...WHY, waiting: [] });
    expect(all('[data-testid="imd-more-curves"]')).toEqual([]);
  });

  it("is all columns on demand", async () => {
    await show(fixtures.houses(), { tab: "Why" });
    await answer(WHY);
    expect(id("more-curves").textContent).toBe("Show the other 2 columns");
    await click(id("more-curves"));
    expect(lastSent()).toMatchObject({ more: true });
    expect(all(".imd-curve").length).toBe(2);
  });

  it("is a traced row too, once the curves are there, if it is among the rows", async () => {
    await show(fixtures.houses(), { tab: "Why", selected_rules: [1], traced: traced([1]) });
    expect(sent().length).toBe(1);
    expect(lastSent()).toMatchObject({ row: null });
    await answer(WHY);
    expect(sent().length).toBe(2);
    expect(lastSent()).toMatchObject({ rules: [1], row: 7 });
    stage.model.receive("traced", traced([0]));
    await settle();
    expect(id("why-row").textContent).toContain("not in the selection");
    expect(all('[data-testid="imd-reasons"]')).toEqual([]);
  });

  it("can be cancelled, shows its progress, and is retried after an error", async () => {
    await show(fixtures.houses(), { tab: "Why" });
    stage.model.answer({ id: lastSent().id, progress: { done: 3, total: 8 } });
    await settle();
    expect(id("curves-status").textContent).toBe("Evaluating the models: part 3 of 8 Cancel");
    await click(id("curves-status").querySelector("button") as HTMLElement);
    expect(stage.model.sent.at(-1)).toMatchObject({ kind: "cancel", of: lastSent().id });
    expect(id("curves-error").textContent).toContain("Cancelled");
    await click(id("curves-error").querySelector("button") as HTMLElement);
    expect(sent().length).toBe(2);
    stage.model.answer({ id: lastSent().id, error: "at least <b>20</b> are needed" });
    await settle();
    expect(id("curves-error").textContent).toContain("<b>20</b>");
  });

  it("is nothing where it cannot be answered", async () => {
    const view = { ...fixtures.houses(), lacks: { explain: "A page holds no models." } };
    await show(view, { tab: "Why" });
    expect(id("no-why").textContent).toBe("A page holds no models.");
    expect(sent()).toEqual([]);
  });
});

describe("the charts", () => {
  const open = async (why = WHY) => {
    await show(fixtures.houses(), { tab: "Why" });
    await answer(why);
  };
  const chart = (column: string) => one(`.imd-curve[data-column="${column}"]`);
  const reading = (column: string) => chart(column).querySelector(".imd-reading")?.textContent;
  const key = async (name: string) => {
    const button = chart("age").querySelector("button") as HTMLElement;
    button.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
    await settle();
  };

  it("show where the models are furthest apart, and the values at the cursor", async () => {
    await open();
    const [first, second] = fixtures.houses().names;
    expect(reading("age")).toBe(`furthest apart at 40: ${first} 0.1, ${second} 0.9`);
    await key("ArrowRight");
    const at20 = `20: ${first} 0.1, ${second} 0.1; 25\u00a0% of the rows`;
    expect(reading("age")).toBe(at20);
    await key("ArrowLeft");
    expect(reading("age")).toBe(at20);
    await key("End");
    expect(reading("age")).toContain("missing: ");
  });

  it("have a table each, and are enlarged one at a time", async () => {
    await open();
    const cells = [...chart("age").querySelectorAll("tbody tr")].map((row) => row.textContent);
    expect(cells[1]).toBe("300.10.525\u00a0%");
    expect(cells.length).toBe(4);
    await click(chart("age").querySelector("button") as HTMLElement);
    await click(chart("<b>job</b>").querySelector("button") as HTMLElement);
    expect(all(".is-large").map((one) => one.dataset.column)).toEqual(["<b>job</b>"]);
    expect(all(".imd-curve b")).toEqual([]);
  });

  it("draw categories as pairs of dots, and numbers as a solid and a dashed line", async () => {
    await open();
    expect(chart("<b>job</b>").querySelectorAll("circle").length).toBe(4);
    expect(chart("<b>job</b>").querySelector(".is-model")?.getAttribute("d")).toBe("");
    expect(chart("age").querySelectorAll("circle").length).toBe(2); // the missing value
    expect(chart("age").querySelectorAll(".is-model.is-second").length).toBe(1);
    expect(chart("age").querySelectorAll(".is-rows").length).toBe(4);
    expect(chart("age").querySelectorAll(".is-interval").length).toBe(1);
    expect(chart("<b>job</b>").querySelectorAll(".is-interval").length).toBe(0);
  });

  it("are not there where models cannot be asked", async () => {
    await open({ ...WHY, cannot: "m1 is an array.", curves: [] });
    expect(id("cannot").textContent).toBe("m1 is an array.");
  });
});

describe("a traced row", () => {
  const open = async () => {
    await show(fixtures.houses(), { tab: "Why", traced: traced([]) });
    await answer(WHY);
    await answer(WITH_ROW);
  };
  const codes = () =>
    all(".imd-reasons tbody tr").map((row) => [
      row.querySelector("th")?.textContent,
      ...[...row.querySelectorAll("td")].slice(1).map((cell) => cell.textContent),
    ]);

  it("has reason codes on one scale, a sentence, and an amber line if they say little", async () => {
    await open();
    expect(codes()).toEqual([
      ["age = 30", "+0.22", "−0.11"],
      ["pay = 9", "0", "+0.05"],
    ]);
    const widths = all(".imd-reasons tbody rect").map((bar) => Number(bar.getAttribute("width")));
    expect(widths.map((width) => Math.round(100 * width) / 100)).toEqual([40, 20, 0, 9.09]);
    expect(id("reasons-text").textContent).toBe("LR says 0.31: +0.22 from age.");
    expect(id("trust").className).toContain("is-low");
  });

  it("has those of LOCO too, with their own trust", async () => {
    await open();
    await click(one(".imd-techniques button:last-child"));
    expect(codes()[0]).toEqual(["pay = 9", "+0.4", "+0.1"]);
    expect(id("trust").textContent).toBe("forest");
    expect(id("trust").className).not.toContain("is-low");
  });

  it("has its own curves, and says if they are unusual", async () => {
    await open();
    expect(all('[data-column="age"] .is-ice').length).toBe(2);
    expect(all('[data-column="<b>job</b>"] .is-ice').length).toBe(0);
    await click(one('[data-column="age"] button'));
    expect(one('[data-column="age"]').textContent).toContain("outside one standard deviation");
  });
});

describe("places", () => {
  const range = rangeOf([AGE, JOB], []);
  const places = placesOf(AGE, range);

  it("are on one scale for all charts, with the row inside it", () => {
    expect(range).toEqual([0.1, 0.9]);
    expect(rangeOf([AGE], [ICE])).toEqual([0, 1]);
    const flat = rangeOf([{ ...AGE, points: [point("1", 1, 3, 3)] }], []);
    expect(flat).toEqual([2.5, 3.5]);
    expect(places.y(0.9)).toBeLessThan(places.y(0.1));
    expect(places.y(0.1)).toBeLessThan(HIGH);
  });

  it("put a missing value apart from the axis, and thresholds on it", () => {
    const [a = 0, b = 0, c = 0, missing = 0] = places.x;
    expect(b - a).toBeCloseTo(c - b);
    expect(missing).toBeGreaterThan(c + 10);
    expect(places.place(40)).toBe(c);
    expect(places.place(1000)).toBe(c);
    expect(places.onLine).toBe(3);
    expect(nearest(places, b / WIDE)).toBe(1);
    expect(nearest(places, 1)).toBe(3);
  });

  it("fill the band from the place where the curves are further apart than the tolerance", () => {
    // the difference goes from 0 at 20 to 0.4 at 30: it is 0.2 at 25
    const starts = (tolerance: number) =>
      Number(/^M([\d.]+),/.exec(bandOf(AGE, places, tolerance))?.[1]);
    expect(starts(0.2)).toBeCloseTo(places.place(25), 0);
    expect(starts(0)).toBeCloseTo(places.place(20), 0);
    expect(bandOf(AGE, places, 0.9)).toBe("");
    const crossing = { ...AGE, points: [point("20", 20, 0, 0.6), point("30", 30, 0.6, 0)] };
    expect(bandOf(crossing, placesOf(crossing, [0, 1]), 0.2).match(/Z/g)?.length).toBe(2);
  });
});

describe("the deviation of the rows", () => {
  it("is drawn with a row only, inside what is possible, and in the table", async () => {
    await show(fixtures.houses(), { tab: "Why" });
    await answer(WHY);
    expect(all(".is-spread")).toEqual([]);
    expect(one(".imd-values td").textContent).toBe("0.1");
    stage.model.receive("traced", traced([]));
    await settle();
    await answer(WITH_ROW);
    expect(all('[data-column="age"] .is-spread').length).toBe(2);
    expect(one(".imd-why-key").textContent).toContain("± one standard deviation");
    expect(one('[data-column="age"] .imd-values td').textContent).toBe("0.1 ± 0.1");
    const bands = bandsOf(AGE, 1, [0, 1]);
    expect(bands[0]?.[0]).toBe(0);
    expect(bands[1]?.[2]).toBe(1);
    expect(rangeOf([AGE], [ICE], [0, 1])).toEqual([0, 1]);
    expect(rangeOf([{ ...AGE, points: [point("1", 1, 2, 3)] }], [ICE])).toEqual([0, 3.1]);
  });

  it("is an area below and above a line, and an upright at each point that no line connects", () => {
    const places = placesOf(AGE, [0, 1]);
    const area = areaOf(places, bandsOf(AGE, 0, [0, 1]));
    expect(area.match(/Z/g)?.length).toBe(2);
    expect(area.split("Z")[0]?.split("L").length).toBe(6);
    const dots = areaOf(placesOf(JOB, [0, 1]), bandsOf(JOB, 0, [0, 1]));
    expect(dots.match(/M/g)?.length).toBe(2);
  });
});

describe("equal curves", () => {
  it("are not furthest apart anywhere", async () => {
    await show(fixtures.houses(), { tab: "Why" });
    const points = [point("20", 20, 0.1, 0.1), point("30", 30, 0.3, 0.3)];
    await answer({ ...WHY, curves: [{ ...AGE, points }] });
    expect(one(".imd-reading").textContent).toBe("no difference at any value");
  });
});

describe("one model without curves", () => {
  const alone = ({ points, ...rest }: CurveView): CurveView => ({
    ...rest,
    points: points.map((own) => ({
      ...own,
      first: null,
      difference: null,
      spread: [null, 0.1, null],
    })),
  });
  it("is said, and only the other one is drawn", async () => {
    await show(fixtures.houses(), { tab: "Why" });
    await answer({ ...WHY, lacking: "m1 is an array.", curves: [alone(AGE), alone(JOB)] });
    expect(id("lacking").textContent).toBe("m1 is an array.");
    expect(one(".imd-curves, [data-testid=imd-curves] h4").textContent).toMatch(
      /^Columns that drive \S+$/,
    );
    expect(all('[data-column="age"] .is-model').length).toBe(1);
    expect(one('[data-column="age"] .is-apart').getAttribute("d")).toBe("");
    expect(one('[data-column="age"] .imd-reading').textContent).toMatch(/^highest at 40: \S+ 0.9$/);
    expect(all('[data-column="age"] thead th').length).toBe(3);
    expect(all('[data-column="age"] circle').length).toBe(1);
  });
});

describe("surrogates", () => {
  it("are asked for once they are wanted, and for each selection then", async () => {
    await show(fixtures.houses(), { tab: "Why" });
    await answer(WHY);
    expect(sent().length).toBe(1);
    await click(id("more-surrogates"));
    expect(lastSent()).toMatchObject({ surrogates: true, row: null });
    expect(id("surrogates-status").textContent).toContain("Cancel");
    await answer(WITH_SURROGATES);
    expect(all('[data-testid="imd-more-surrogates"]')).toEqual([]);
    stage.model.receive("selected_rules", [0]);
    await settle();
    expect(all('[data-testid="imd-importance"]')).toEqual([]);
    await answer(WHY);
    expect(lastSent()).toMatchObject({ surrogates: true, rules: [0] });
  });

  it("show column importance, and warn if they explain little of the difference", async () => {
    await show(fixtures.houses(), { tab: "Why" });
    await answer(WHY);
    await click(id("more-surrogates"));
    await answer(WITH_SURROGATES);
    const first = () => one('[data-testid="imd-importance"] tbody th').textContent;
    expect(first()).toBe("age");
    const cells = all('[data-testid="imd-importance"] tbody tr:nth-child(2) td');
    expect(cells.slice(1).map((cell) => cell.textContent)).toEqual(["0.4", "0.3", "0"]);
    expect(id("importance").querySelector(".is-low")).toBe(null);
    expect(id("trees").querySelector(".is-low")?.textContent).toContain(
      "RMSE 0.123 on 30 holdout rows",
    );
    expect(id("outline").textContent).toBe(
      "age < 40 0.20 on 90 rowsyes: 0.10 60 rowsno: 0.40 30 rows",
    );
    const [lr] = id("trees").querySelectorAll("button");
    await click(lr as HTMLElement);
    expect(id("trees").textContent).toContain("This tree (LR)");
  });
});
