// A track: a chart for each region, and the figures of one period.

import { describe, expect, it } from "vitest";
import { mount } from "../../../js/entry/mount";
import { createMemoryModel } from "../../../js/host/memoryModel";
import type { TrackView, WidgetState } from "../../../js/protocol/types";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, click, one } = stage;

const period = (rate: number | null, changed = false) => ({
  rate,
  interval: rate === null ? null : ([rate / 2, rate * 2] as [number, number]),
  changed,
  text: rate === null ? "0 rows, rate not known" : `${100 * rate} % of 80 rows differ`,
});

const track: TrackView = {
  version: 1,
  title: "old and new, May to July",
  sentences: ["Rule 0: shrank in July.", "The rules are those of May."],
  periods: ["May", "June", "July"],
  regions: [
    {
      name: "rule 0",
      conditions: "age >= 40",
      verdict: "shrank in July",
      top: 1,
      periods: [period(0.4), period(null), period(0.02, true)],
    },
    {
      name: "all rows",
      conditions: "",
      verdict: "no change",
      top: 0.2,
      periods: [period(0.1), period(0.1), period(0.1)],
    },
  ],
};

async function show() {
  const asked: unknown[] = [];
  const state = { track, theme: "light", height: 720 } as unknown as WidgetState;
  const model = createMemoryModel(state, (request) => asked.push(request));
  stage.leave = mount(model, stage.el);
  await settle();
  return asked;
}

const figures = () => all(".imd-region-figures").map((text) => text.textContent);

describe("a track", () => {
  it("has a chart for each region, and asks the kernel for nothing", async () => {
    const asked = await show();
    expect(one('[data-testid="imd-headline"]').textContent).toContain(track.title);
    expect(all("[data-region]").map((item) => item.dataset.region)).toEqual(["rule 0", "all rows"]);
    expect(one('[data-region="rule 0"]').textContent).toContain("age >= 40");
    expect(one('[data-region="rule 0"] .is-changed').textContent).toBe("shrank in July");
    expect(all('[data-region="all rows"] .is-changed')).toHaveLength(0);
    expect(asked).toEqual([]);
  });

  it("leaves a gap where no rate is known, and fills changed periods", async () => {
    await show();
    expect(all('[data-region="rule 0"] circle')).toHaveLength(2);
    expect(all('[data-region="rule 0"] circle.is-changed')).toHaveLength(1);
    expect(all('[data-region="rule 0"] .is-interval')).toHaveLength(2);
    expect(one('[data-region="rule 0"] .is-line').getAttribute("d")?.match(/M/g)).toHaveLength(2);
  });

  it("draws each region to its own scale", async () => {
    await show();
    const y = (region: string) =>
      Number(one(`[data-region="${region}"] circle`).getAttribute("cy"));
    // 10 % of 20 % is the middle, 40 % of 100 % is below it
    expect(y("all rows")).toBeCloseTo(45, 6);
    expect(y("rule 0")).toBeCloseTo(6 + 78 * 0.6, 6);
  });

  it("shows the last period first, and others by click and by key", async () => {
    await show();
    expect(figures()).toEqual(["July: 2 % of 80 rows differ", "July: 10 % of 80 rows differ"]);
    await click(all(".imd-periods button")[0]);
    expect(figures()[0]).toBe("May: 40 % of 80 rows differ");
    const root = one(".imd-root");
    root.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await settle();
    expect(figures()[0]).toBe("June: 0 rows, rate not known");
    root.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
    root.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
    await settle();
    expect(figures()[0]).toBe("May: 40 % of 80 rows differ");
  });
});
