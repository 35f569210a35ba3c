import { describe, expect, it } from "vitest";
import { mount } from "../../../js/entry/mount";
import { type PackedView, unpack } from "../../../js/protocol/codec";
import { indexNodes, rulePath } from "../../../js/tree/visible";
// Written by pytest. Read as a module, so that a missing file fails here and not in silence.
import golden from "../../golden/quickstart.json";
import { stateOf } from "../fixtures";
import { settle, stubModel } from "../support";

const view = unpack(golden as unknown as PackedView);
/** The shape of a value: names of fields, kinds of values. */
const kindOf = (value: unknown) =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

const NODE: Record<string, string[]> = {
  id: ["string"],
  parent: ["string", "null"],
  kind: ["string"],
  side: ["number"],
  edge: ["string", "null"],
  depth: ["number"],
  condition: ["string", "null"],
  label: ["number", "null"],
  said: ["string", "null"],
  value: ["number", "null"],
  purity: ["number", "null"],
  spread: ["string", "null"],
  rows: ["number"],
  differing: ["number"],
  rate: ["number", "null"],
  counts: ["array"],
  means: ["array", "null"],
  rules: ["array"],
  region: ["boolean"],
  column: ["string", "null"],
  position: ["number", "null"],
  bars: ["object", "null"],
};
const RULE: Record<string, string[]> = {
  number: ["number"],
  node: ["string"],
  nodes: ["array"],
  leaves: ["array"],
  outcomes: ["array", "null"],
  values: ["array", "null"],
  said: ["array"],
  outcome_share: ["number"],
  others: ["array"],
  direction: ["string", "null"],
  up: ["number", "null"],
  down: ["number", "null"],
  usual: ["array", "null"],
  conditions: ["array"],
  support: ["number"],
  differing: ["number"],
  rate: ["number", "null"],
  coverage: ["number"],
  holdout_support: ["number"],
  holdout_differing: ["number"],
  holdout_rate: ["number", "null"],
  right: ["object", "null"],
  holdout_right: ["object", "null"],
  shared: ["array"],
};
const CONDITION: Record<string, string[]> = {
  text: ["string"],
  column: ["string"],
  position: ["number"],
  query: ["string", "null"],
  sql: ["string", "null"],
  shared: ["boolean"],
};

const BARS: Record<string, string[]> = {
  low: ["string"],
  high: ["string"],
  cut: ["number", "null"],
  labels: ["array", "null"],
  same: ["array"],
  differ: ["array"],
  missing: ["array", "null"],
};
const OPTIONS: Record<string, string[]> = {
  max_depth: ["number"],
  sensitivity: ["number", "null"],
  tunable: ["boolean"],
};
const OUTPUTS: Record<string, string[]> = {
  kind: ["string"],
  what: ["string"],
  differs: ["string", "null"],
  low: ["number", "null"],
  high: ["number", "null"],
  low_text: ["string", "null"],
  high_text: ["string", "null"],
  weighted: ["boolean"],
};
const RIGHT: Record<string, string[]> = {
  both: ["number"],
  first: ["number"],
  second: ["number"],
  neither: ["number"],
  unknown: ["number"],
  errors: ["array", "null"],
};

function fits(value: object, shape: Record<string, string[]>) {
  const fields = new Map(Object.entries(value));
  for (const [name, kinds] of Object.entries(shape))
    expect(kinds, name).toContain(kindOf(fields.get(name)));
  // and no others: a field that nobody reads is one that somebody misspelt
  expect([...fields.keys()].filter((name) => !(name in shape))).toEqual([]);
}

describe("the view that Python writes", () => {
  it("has the fields of the contract", () => {
    expect(view.version).toBe(4);
    fits(view.outputs, OUTPUTS);
    expect(["class", "proba", "value"]).toContain(view.outputs.kind);
    expect(view.names).toHaveLength(2);
    expect(["good", "weak", "none"]).toContain(view.headline.tone);
    expect(view.headline.sentences.length).toBeGreaterThan(0);
    for (const node of view.nodes) fits(node, NODE);
    for (const { bars, same, differ } of view.nodes.flatMap(({ bars }) =>
      bars ? { bars, ...bars } : [],
    )) {
      fits(bars, BARS);
      expect(same).toHaveLength(differ.length);
    }
    fits(view.options, OPTIONS);
    expect(view.columns.every((name) => typeof name === "string")).toBe(true);
    for (const rule of view.rules) fits(rule, RULE);
    for (const condition of view.rules.flatMap((rule) => rule.conditions))
      fits(condition, CONDITION);
    for (const right of [view, ...view.rules].map((of) => of.right)) if (right) fits(right, RIGHT);
    expect(kindOf(view.refinement.steps)).toBe("number");
    expect(kindOf(view.refinement.added)).toBe("array");
    expect(view.metrics.n_rules).toBe(view.rules.length);
  });

  it("is a tree in reading order whose rules are where they say", () => {
    const index = indexNodes(view.nodes);
    expect(view.nodes[0]?.id).toBe("r");
    const met = new Set<string>();
    for (const node of view.nodes) {
      if (node.parent !== null) expect(met).toContain(node.parent);
      met.add(node.id);
      const below = index.children.get(node.id)?.length ?? 0;
      expect(below, node.id).toBe(node.kind === "leaf" ? 0 : 2);
      for (const counts of node.counts) {
        const rows = counts.map(([, n]) => n);
        expect(rows).toEqual(rows.toSorted((a, b) => b - a));
        expect(rows.length).toBeLessThanOrEqual(12);
        for (const [label] of counts) expect(view.classes[label], node.id).toBeDefined();
        if (view.classes.length <= 12) expect(rows.reduce((sum, n) => sum + n, 0)).toBe(node.rows);
      }
    }
    for (const [i, rule] of view.rules.entries()) {
      expect(rule.number).toBe(i);
      expect(rule.said).toEqual(rule.outcomes?.map((label) => view.classes[label]));
      for (const id of rulePath(index, rule)) expect(index.byId.get(id)?.rules, id).toContain(i);
    }
  });

  it("says in words what its leaves say", () => {
    const leaves = view.nodes.filter(({ kind }) => kind === "leaf");
    expect(leaves.length).toBeGreaterThan(0);
    for (const { id, label, said, purity, rows, counts, side } of leaves) {
      expect(said, id).toBe(view.classes[label ?? -1]);
      const own = side === 0 ? undefined : counts[side - 1]?.find(([l]) => l === label);
      if (own && rows > 0) expect(purity, id).toBeCloseTo(own[1] / rows, 6);
    }
  });

  it("is drawn", async () => {
    const el = document.createElement("div");
    document.body.append(el);
    const unmount = mount(stubModel(stateOf(view)), el);
    await settle();
    expect(el.querySelectorAll('[data-or="true"]').length).toBeGreaterThan(0);
    expect(el.querySelectorAll("[data-rule]")).toHaveLength(Math.min(50, view.rules.length));
    unmount();
    el.remove();
  });
});
