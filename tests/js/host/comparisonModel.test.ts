// A page of more than two models: one model in memory for each pair that it holds.

import { describe, expect, it, vi } from "vitest";
import { createComparisonModel } from "../../../js/host/comparisonModel";
import { createHost } from "../../../js/host/host";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";

const open = (change: object = {}) =>
  createHost(createComparisonModel({ ...fixtures.comparisonPage(), ...change }));

describe("a page of more than two models", () => {
  it("opens with a pair, in the state in which it was saved", async () => {
    const host = open();
    expect(host.state().pair).toEqual([0, 1]);
    expect(host.state().view.names).toEqual(["LR", "RF"]);
    expect(host.state().tab).toBe("Rules");
    await host.ask({ kind: "pair", pair: [3, 0] });
    expect(host.state().view.names).toEqual(["by hand", "LR"]);
    expect([host.state().tab, host.state().selected_rules]).toEqual(["Node", [0]]);
  });

  it("keeps what was done to each pair", async () => {
    const host = open();
    host.set({ selected_rules: [0], folds: { r: true } });
    await host.ask({ kind: "pair", pair: [1, 4] });
    expect([host.state().selected_rules, host.state().folds]).toEqual([[], {}]);
    await host.ask({ kind: "refine" });
    expect(host.state().view.refinement.steps).toBe(1);
    await host.ask({ kind: "pair", pair: [0, 1] });
    expect([host.state().selected_rules, host.state().folds]).toEqual([[0], { r: true }]);
    expect(host.state().view.refinement.steps).toBe(0);
    await host.ask({ kind: "pair", pair: [1, 4] });
    expect(host.state().view.refinement.steps).toBe(1);
  });

  it("opens a pair in the order that was asked for, else the other way round", async () => {
    const { pairs } = fixtures.comparisonPage();
    const host = open();
    await host.ask({ kind: "pair", pair: [0, 3] });
    expect(host.state().pair).toEqual([0, 3]);
    delete pairs["0,3"];
    const one = open({ pairs });
    await one.ask({ kind: "pair", pair: [0, 3] });
    expect(one.state().pair).toEqual([3, 0]);
  });

  it("says why another pair does not open, and keeps what is shown", async () => {
    const host = open();
    await expect(host.ask({ kind: "pair", pair: [2, 5] })).rejects.toThrow("has no diff");
    expect(host.state().pair).toEqual([0, 1]);
  });

  it("tells of each change once, and nothing after it was let go", async () => {
    const model = createComparisonModel(fixtures.comparisonPage());
    const heard = vi.fn();
    model.on("change:selected_rules", heard);
    model.set("selected_rules", [0]);
    expect(heard).toHaveBeenCalledTimes(1);
    model.send({ id: "1", kind: "pair", pair: [1, 4] });
    model.set("selected_rules", [1]);
    expect(heard).toHaveBeenCalledTimes(2);
    model.off("change:selected_rules", heard);
    model.set("selected_rules", []);
    model.send({ id: "2", kind: "pair", pair: [3, 0] });
    model.set("selected_rules", []);
    expect(heard).toHaveBeenCalledTimes(2);
  });

  it("can hold no diff at all", async () => {
    const { comparison } = fixtures.comparisonPage();
    const host = open({ pairs: {}, pair: [], comparison: { ...comparison, openable: [] } });
    expect(host.state().pair).toEqual([]);
    expect(host.state().view).toBeUndefined();
    host.set({ matrix_order: "given" });
    expect(host.state().matrix_order).toBe("given");
    await expect(host.ask({ kind: "pair", pair: [0, 1] })).rejects.toThrow("has no diff");
  });
});

describe("on the page", () => {
  const stage = useStage();

  it("cells that have a diff open it, and the models can be swapped; there is nothing to save", async () => {
    stage.put(createComparisonModel(fixtures.comparisonPage()));
    expect(stage.all('[data-testid="imd-save"]')).toHaveLength(0);
    const title = () => stage.one('[data-testid="imd-pair"]').textContent;
    expect(title()).toContain("LR (model 1)");
    await stage.click(stage.one('[data-place="4,1"]'));
    expect(title()).toContain("RF (model 2)");
    expect(stage.one('[data-place="4,1"]').getAttribute("aria-selected")).toBe("true");
    await stage.click(stage.one('[data-testid="imd-swap"]'));
    expect(title()).toContain("RF (model 1)");
    expect(stage.one('[data-place="1,4"]').getAttribute("aria-selected")).toBe("true");
  });

  it("a pair of one order cannot be swapped", async () => {
    const page = fixtures.comparisonPage();
    page.comparison.openable = [[0, 1]];
    stage.put(createComparisonModel(page));
    const swap = stage.one('[data-testid="imd-swap"]');
    expect(swap.getAttribute("aria-disabled")).toBe("true");
    expect(swap.title).toContain("in this order only");
  });
});
