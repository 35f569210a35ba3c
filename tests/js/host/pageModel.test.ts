// A page without a kernel answers from what it brought along. tests/golden/page.json is written by pytest.

import { afterEach, describe, expect, it, vi } from "vitest";
import { createHost, unavailableReason } from "../../../js/host/host";
import { createPageModel, type PageData } from "../../../js/host/pageModel";
import { unpack } from "../../../js/protocol/codec";
import type { PackedView, PageRows, Work } from "../../../js/protocol/types";
import golden from "../../golden/page.json";
import { small, stateOf } from "../fixtures";
import { useStage } from "../stage";

const { view: _, ...traits } = stateOf(small());
const data = { ...traits, ...golden } as unknown as PageData;
const held = data.rows as PageRows;
const views = data.steps.map((step) => unpack(step as PackedView));
const open = (change: Partial<PageData> = {}) =>
  createHost(createPageModel({ ...data, ...change }));
const ALL: Extract<Work, { kind: "rows" }> = {
  kind: "rows",
  rules: [],
  node: "",
  start: 0,
  count: 500,
  sort: null,
  differing: false,
};

describe("how many rows there are", () => {
  it("is said of the whole table, not only of what the page brings along", async () => {
    const host = open();
    for (const rule of views[0]?.rules ?? []) {
      const { rows } = await host.ask({ ...ALL, rules: [rule.number] });
      expect(rows.of).toBe(rule.support + rule.holdout_support);
      expect(rows.total).toBeLessThan(rows.of ?? 0);
      const differing = await host.ask({ ...ALL, rules: [rule.number], differing: true });
      expect(differing.rows.of).toBe(rule.differing + rule.holdout_differing);
      // a page shows a rule as it is: about as many rows differ as in the table
      const share = differing.rows.total / rows.total;
      expect(Math.abs(share - (rule.rate ?? 0))).toBeLessThan(0.25);
    }
  });
});

describe("a page that has been open for a while", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("still answers: it is not taken for a kernel that is silent", async () => {
    vi.useFakeTimers();
    const host = open();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(host.state().kernel.unavailable).toBeNull();
    await host.ask({ kind: "refine" });
    expect(host.state().view.refinement.steps).toBe(1);
    host.dispose();
  });
});

describe("the steps of a page", () => {
  it("are gone through, up to the last one and back", async () => {
    const host = open();
    expect(views.length).toBeGreaterThan(2);
    for (let step = 1; step < views.length; step += 1) {
      await host.ask({ kind: "refine" });
      expect(host.state().view.refinement.steps).toBe(step);
      expect(host.state().view.rules).toEqual(views[step]?.rules);
    }
    expect(unavailableReason(host.state(), "refine")).not.toBeNull();
    await expect(host.ask({ kind: "refine" })).rejects.toThrow();
    await host.ask({ kind: "undo" });
    expect(host.state().view.refinement.steps).toBe(views.length - 2);
  });

  it("keep what is selected as far as it is still there", async () => {
    const host = open();
    host.set({ selected_node: "r", selected_rules: [0] });
    await host.ask({ kind: "refine" });
    const { kept } = views[1]?.refinement ?? { kept: [] };
    expect(kept).toHaveLength(views[0]?.rules.length ?? 0);
    expect(host.state().selected_rules).toEqual([kept[0]]);
    expect(host.state().selected_node).toBe("r");
    const added = views[1]?.refinement.added[0] as string;
    host.set({ selected_node: added });
    await host.ask({ kind: "undo" });
    expect(host.state().selected_node).toBe("");
    expect(host.state().selected_rules).toEqual([0]);
    const gone = { ...golden, steps: structuredClone(golden.steps) };
    for (const step of gone.steps) step.refinement.kept = step.refinement.kept.map(() => -1);
    const other = open(gone as unknown as Partial<PageData>);
    other.set({ selected_rules: [0] });
    await other.ask({ kind: "refine" });
    expect(other.state().selected_rules).toEqual([]);
  });

  it("begin where the page was saved", () => {
    expect(open({ at: 1 }).state().view.refinement.steps).toBe(1);
  });

  it("what a page cannot do is said", async () => {
    const host = open();
    for (const work of [
      { kind: "save" },
      { kind: "change", options: {} },
      { kind: "histograms", rules: [0] },
      { kind: "stability" },
      { kind: "cohort", condition: "a < 1" },
    ] as Work[]) {
      expect(views[0]?.lacks[work.kind], work.kind).toBeTruthy();
      await expect(host.ask(work)).rejects.toThrow(views[0]?.lacks[work.kind]);
    }
  });

  it("forget how stable the rules of another step are", async () => {
    const stability = { n: 20, found: [16], overlap: [0.7] };
    const host = open({ stability });
    expect(host.state().stability).toEqual(stability);
    await host.ask({ kind: "refine" });
    expect(host.state().stability).toBeNull();
    await host.ask({ kind: "undo" });
    expect(host.state().stability).toEqual(stability);
  });
});

describe("the rows of a page", () => {
  it("are those inside any rule, a rule, or at a node", async () => {
    const host = open();
    const { rules } = views[0] as (typeof views)[0];
    const inside = (numbers: number[]) =>
      held.positions.filter((_, row) => {
        const [one, two] = held.leaves[0]?.[row] ?? ["", ""];
        return numbers.some((n) => rules[n]?.leaves.some(([a, b]) => a === one && b === two));
      });
    const found = await host.ask(ALL);
    expect(found.rows.positions).toEqual(inside(rules.map((_, n) => n)));
    const first = await host.ask({ ...ALL, rules: [0] });
    expect(first.rows.positions).toEqual(inside([0]));
    expect(first.rows.total).toBeGreaterThan(0);
    const everywhere = await host.ask({ ...ALL, node: "r" });
    expect(everywhere.rows.positions).toEqual(held.positions);
    expect(everywhere.rows.note).toContain(`${held.positions.length} of ${held.total} rows`);
  });

  it("after a step are those of its own rules", async () => {
    const host = open();
    await host.ask({ kind: "refine" });
    const { rows } = await host.ask({ ...ALL, rules: [0] });
    const leaves = views[1]?.rules[0]?.leaves.map(String);
    for (const position of rows.positions) {
      const pair = held.leaves[1]?.[held.positions.indexOf(position)];
      expect(leaves).toContain(String(pair));
    }
    expect(rows.total).toBeGreaterThan(0);
  });

  it("begin with the columns of the rule, then what the models say", async () => {
    const { rows } = await open().ask({ ...ALL, rules: [0] });
    const asked = [...new Set(views[0]?.rules[0]?.conditions.map(({ column }) => column))];
    const n = asked.length;
    expect(rows.columns.slice(0, n)).toEqual(asked);
    expect(rows.columns.slice(n, rows.lead)).toEqual(held.columns.slice(0, held.lead));
    expect(rows.roles.slice(n, n + 2)).toEqual(["output1", "output2"]);
    expect(rows.roles.slice(rows.lead).every((role) => role === "column")).toBe(true);
    expect(rows.columns).toHaveLength(held.columns.length);
    expect([...rows.columns].sort()).toEqual([...held.columns].sort());
    const place = held.columns.indexOf(asked[0] as string, held.lead);
    rows.positions.forEach((position, i) => {
      const cells = held.cells[held.positions.indexOf(position)];
      expect(rows.cells[i]?.[0]).toBe(cells?.[place]);
      expect(rows.cells[i]?.[n]).toBe(cells?.[0]);
    });
  });

  it("are sorted as numbers, what is missing last, and cut into pages", async () => {
    const host = open();
    const by = { ...ALL, node: "r", sort: { column: held.lead, descending: true } };
    const { rows } = await host.ask(by);
    const values = rows.cells.map((cells) => cells[held.lead]);
    const numbers = values.filter((value) => value !== "missing").map(Number);
    expect(numbers).toEqual([...numbers].sort((one, two) => two - one));
    expect(values.slice(numbers.length).every((value) => value === "missing")).toBe(true);
    expect(values.length).toBeGreaterThan(numbers.length);
    const second = await host.ask({ ...by, start: 5, count: 3 });
    expect(second.rows.positions).toEqual(rows.positions.slice(5, 8));
    const differing = await host.ask({ ...by, differing: true });
    expect(differing.rows.differs.every(Boolean)).toBe(true);
  });

  it("are those of the column that is meant, where several have its name", async () => {
    const twice = held.columns.map((name, i) => (i < held.lead ? name : "dup"));
    const { rows } = await open({ rows: { ...held, columns: twice } }).ask({ ...ALL, rules: [0] });
    const place = held.lead + (views[0]?.rules[0]?.conditions[0]?.position ?? 0);
    rows.positions.forEach((position, i) => {
      const cells = held.cells[held.positions.indexOf(position)];
      expect(rows.cells[i]?.[0]).toBe(cells?.[place]);
    });
  });

  it("are written as CSV: those of the selection, in its order, under names that are told apart", async () => {
    const clash = held.columns[0] as string;
    const columns = [...held.columns];
    columns[held.lead] = clash;
    columns[held.lead + 1] = 'a "b", c';
    const host = open({ rows: { ...held, columns } });
    const sort = { column: held.lead, descending: true };
    const work = { rules: [], node: "r", sort, differing: true };
    const { csv } = await host.ask({ kind: "csv", ...work });
    const { rows } = await host.ask({ ...ALL, ...work });
    const lines = csv.trimEnd().split("\n");
    expect(lines[0]).toMatch(new RegExp(`^row,${clash} \\(of the diff\\),`));
    expect(lines[0]).toContain(`,${clash},"a ""b"", c"`);
    expect(lines.slice(1).map((line) => Number(line.split(",")[0]))).toEqual(rows.positions);
    const empty = lines.slice(1).filter((line) => line.split(",")[1 + held.lead] === "");
    expect(empty.length).toBeGreaterThan(0);
    expect(csv).not.toContain("missing");
    const [first] = data.steps as [PackedView];
    const bare = open({ rows: null, steps: [{ ...first, lacks: { rows: "No rows here." } }] });
    await expect(bare.ask({ kind: "csv", ...work })).rejects.toThrow("No rows here.");
  });

  it("writes whole texts and all digits into a file, and shows them shortened", async () => {
    const long = `${"word ".repeat(60)}end`;
    const whole: [number, number, string][] = [[0, held.lead, long]];
    const host = open({ rows: { ...held, whole } });
    const work = { rules: [], node: "r", sort: null, differing: false };
    const { csv } = await host.ask({ kind: "csv", ...work });
    expect(csv).toContain(long);
    const { rows } = await host.ask({ ...ALL, ...work });
    expect(JSON.stringify(rows.cells)).not.toContain(long);
  });

  it("are followed through the tree", async () => {
    const host = open();
    const row = held.differs.indexOf(true);
    await host.trace(held.positions[row] as number);
    const { traced } = host.state();
    expect(traced?.said).toEqual(held.said[row]);
    for (const leaf of held.leaves[0]?.[row] ?? []) expect(traced?.nodes).toContain(leaf);
    expect(traced?.nodes[0]).toBe("r");
    await host.trace(null);
    expect(host.state().traced).toBeNull();
    await expect(host.trace(-1)).rejects.toThrow("not saved in this page");
  });
});

describe("the stepper", () => {
  const stage = useStage();
  const step = () => stage.one('[data-testid="imd-step"]').textContent;
  const go = (name: string) => stage.click(stage.one(`[data-testid="imd-${name}"]`));

  it("says where one stands, and goes on and back", async () => {
    stage.put(createPageModel(data));
    const last = views.length - 1;
    expect(step()).toBe(`step 0 of ${last}`);
    await go("refine");
    expect(step()).toBe(`step 1 of ${last}`);
    expect(stage.one('[data-testid="imd-status"]').textContent).toContain("of the differences");
    await go("undo");
    expect(step()).toBe(`step 0 of ${last}`);
    await go("undo");
    expect(step()).toBe(`step 0 of ${last}`);
  });

  it("is not there where there is no step", () => {
    const [first] = data.steps as [PackedView];
    const lacks = { ...first.lacks, refine: "No further step." };
    stage.put(createPageModel({ ...data, steps: [{ ...first, lacks }] }));
    expect(stage.all('[data-testid="imd-step"], [data-testid="imd-refine"]')).toHaveLength(0);
  });
});
