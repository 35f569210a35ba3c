// The curves of both models on a column: where they are drawn, how they are read, and what a traced row adds.

import { describe, expect, it } from "vitest";
import {
  areaOf,
  bandOf,
  bandsOf,
  effectOf,
  HIGH,
  insideOf,
  nearest,
  placesOf,
  rangeOf,
  rowEffectOf,
  WIDE,
} from "../../../js/panels/curves";
import type { CurveView } from "../../../js/protocol/types";
import * as fixtures from "../fixtures";
import { settle } from "../support";
import { AGE, ICE, JOB, point, traced, WHY, WITH_ROW } from "./whyAnswers";
import { useWhyStage } from "./whyStage";

const { stage, all, answer, click, id, one, show, toggle } = useWhyStage();

/** The charts of single columns, without those of the rule's conditions. */
const open = async (why = WHY, fields = {}) => {
  const own = { ...why, conditions: [], contributions: null };
  await show(fixtures.houses(), { tab: "Why", ...fields });
  await answer("explain", { why: own });
  await toggle("curves-part");
  await answer("explain", { why: own });
};

describe("the charts", () => {
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

  it("shade what the rule asks for, up to halfway to the next value", () => {
    const [clerk = 0, nurse = 0] = placesOf(JOB, range).x;
    expect(insideOf(placesOf(JOB, range), [true, false])).toEqual([[0, (clerk + nurse) / 2]]);
    expect(insideOf(placesOf(JOB, range), [false, true])).toEqual([[(clerk + nurse) / 2, WIDE]]);
    expect(insideOf(placesOf(JOB, range), [false, false])).toEqual([]);
  });
});

describe("the deviation of the rows", () => {
  it("is drawn with a row only, inside what is possible, and in the table", async () => {
    await open();
    expect(all(".is-spread")).toEqual([]);
    expect(one(".imd-values td").textContent).toBe("0.1");
    stage.model.receive("traced", traced([]));
    await settle();
    await answer("explain", { why: WITH_ROW });
    expect(all('[data-column="age"] .is-spread').length).toBe(2);
    expect(one('[data-testid="imd-curves"] .imd-why-key').textContent).toContain(
      "± one standard deviation",
    );
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
    const points = [point("20", 20, 0.1, 0.1), point("30", 30, 0.3, 0.3)];
    await open({ ...WHY, curves: [{ ...AGE, points }] });
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
    await open({ ...WHY, lacking: "m1 is an array.", curves: [alone(AGE), alone(JOB)] });
    expect(id("cannot").textContent).toBe("m1 is an array.");
    expect(all('[data-column="age"] .is-model').length).toBe(1);
    expect(one('[data-column="age"] .is-apart').getAttribute("d")).toBe("");
    expect(one('[data-column="age"] .imd-reading').textContent).toMatch(/^highest at 40: \S+ 0.9$/);
    expect(all('[data-column="age"] thead th').length).toBe(3);
    expect(all('[data-column="age"] circle').length).toBe(1);
  });
});

describe("the effect of a column", () => {
  it("is each curve less its own mean, so that parallel curves coincide", () => {
    const points = [point("20", 20, 0.1, 0.6), point("30", 30, 0.3, 0.8)];
    const curve = effectOf({ ...AGE, points });
    expect(curve.points.map(({ difference }) => Math.abs(difference ?? 1) < 1e-12)).toEqual([
      true,
      true,
    ]);
    expect(curve.points[0]?.first).toBeCloseTo(-0.1);
    const uneven = points.map((own, i) => ({ ...own, support: i ? 1 : 3 }));
    expect(effectOf({ ...AGE, points: uneven }).points[0]?.first).toBeCloseTo(-0.05);
    const row = rowEffectOf({ ...ICE, first: [1, 3], second: [null, null] }, { ...AGE, points });
    expect(row.first).toEqual([-1, 1]);
    expect(row.second).toEqual([null, null]);
  });

  it("of a model that cannot be called is none", () => {
    const points = AGE.points.map((own) => ({ ...own, second: null, difference: null }));
    const curve = effectOf({ ...AGE, points });
    expect(curve.points.every((own) => own.second === null && own.difference === null)).toBe(true);
  });

  it("is drawn in place of the output on demand", async () => {
    await open();
    const [output, effect] = all('[data-testid="imd-curves"] .imd-techniques button');
    expect(output?.getAttribute("aria-pressed")).toBe("true");
    expect(one('[data-testid="imd-curves"] .imd-why-key').textContent).toContain("0.10 to 0.90");
    await click(effect);
    expect(one('[data-testid="imd-curves"] .imd-why-key').textContent).toContain(
      "less its own mean over 300 rows",
    );
    expect(all('[data-column="age"] .imd-values td')[0]?.textContent).toBe("-0.025");
  });
});
