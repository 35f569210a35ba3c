// Histograms: the share that differs as a line, and the rows of a rule against those outside it.

import { describe, expect, it } from "vitest";
import { thresholdOf } from "../../../js/panels/Histogram";
import { axisLabels } from "../../../js/panels/RuleHistograms";
import { shareOf, topShare } from "../../../js/panels/ShareLine";
import type { Request, RuleHistogram } from "../../../js/protocol/types";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, one, show } = stage;
const lastSent = () => stage.model.sent.at(-1) as Request;
const part = () => one('[data-testid="imd-histograms"]');

const FOUND: RuleHistogram = {
  column: "<b>age</b>",
  labels: ["< 30", "30 to < 40", "40 to < 50", "50 to < 60", ">= 60", "missing"],
  inside: [10, 30, 0, 0, 0, 0],
  inside_differing: [5, 30, 0, 0, 0, 0],
  outside: [0, 10, 20, 30, 40, 0],
  outside_differing: [0, 1, 0, 0, 0, 0],
};

describe("a share", () => {
  it("is known where there is a row", () => {
    expect(shareOf(0, 0)).toBeNull();
    expect(shareOf(1, 4)).toBe(0.25);
    expect(topShare([null, 0.2, 0.4])).toBe(0.4);
    expect(topShare([null, 0])).toBeGreaterThan(0);
  });

  it("is read against a threshold that the axis names", () => {
    expect(thresholdOf("age", "age < 42")).toBe("42");
    expect(thresholdOf("age", "age >= 1.5 or missing")).toBe("1.5");
    expect(thresholdOf("town", "town is Rome")).toBe("");
    expect(thresholdOf("age", "height < 42")).toBe("");
  });

  it("has as many labels as fit, the first and the last among them", () => {
    expect(axisLabels(["a", "b", "c"])).toEqual([
      [0, "a"],
      [1, "b"],
      [2, "c"],
    ]);
    const many = Array.from({ length: 20 }, (_, i) => `bin ${i}`);
    const shown = axisLabels(many);
    expect(shown).toHaveLength(4);
    expect(shown[0]).toEqual([0, "bin 0"]);
    expect(shown.at(-1)).toEqual([19, "bin 19"]);
  });
});

describe("the columns of a selected rule", () => {
  it("are requested when a rule is selected, and drawn inside vs. outside", async () => {
    const view = fixtures.breastCancer();
    await show(view, { tab: "Node" });
    expect(stage.model.sent).toEqual([]);
    stage.model.receive("selected_rules", [1]);
    await settle();
    expect(lastSent()).toMatchObject({ kind: "histograms", rules: [1] });
    expect(part().textContent).toContain("Loading");
    stage.model.answer({ id: lastSent().id, histograms: [FOUND] });
    await settle();
    expect(part().textContent).toContain("Inside rule 1 vs. outside");
    expect(all("[data-testid=imd-histograms] b")).toHaveLength(0);
    expect(part().querySelector("h4 span")?.textContent).toBe("<b>age</b>");
    const bars = all(".is-pairs > span");
    expect(bars).toHaveLength(6);
    const heights = bars.map((bar) =>
      [...bar.querySelectorAll("i")].map((i) => Number.parseFloat(i.style.height)),
    );
    // each against all rows on its own side: 30 of 40 inside is the highest
    expect(heights[1]?.[0]).toBeCloseTo(100, 6);
    expect(heights[0]?.[0]).toBeCloseTo(100 / 3, 6);
    expect(heights[4]?.[1]).toBeCloseTo((100 * 0.4) / 0.75, 6);
    expect(bars[1]?.title).toBe("30 to < 40: inside 30 rows, 30 differ; outside 10, 1 differ");
    expect(all(".is-labels span").map((label) => label.textContent)).toEqual([
      "< 30",
      "40 to < 50",
      "50 to < 60",
      "missing",
    ]);
    stage.model.receive("selected_rules", []);
    await settle();
    expect(all('[data-testid="imd-histograms"]')).toHaveLength(0);
  });

  it("show an error with a way to try again, and on a page the reason", async () => {
    const view = fixtures.breastCancer();
    await show(view, { tab: "Node", selected_rules: [0] });
    stage.model.answer({ id: lastSent().id, error: "<i>gone</i>" });
    await settle();
    expect(one('[data-testid="imd-histograms-error"]').textContent).toContain("<i>gone</i>");
    stage.model.receive("view", { ...view, lacks: { histograms: "Not on a page." } });
    await settle();
    expect(part().textContent).toContain("Not on a page.");
  });
});
