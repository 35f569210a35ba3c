import { describe, expect, it } from "vitest";
import { mount } from "../../js/mount";
import { indexNodes, rulePath } from "../../js/tree/visible";
import type { DiffView } from "../../js/types";
// Written by pytest. Read as a module, so that a missing file fails here and not in silence.
import golden from "../golden/quickstart.json";
import { stateOf } from "./fixtures";
import { settle, stubModel } from "./support";

const view = golden as unknown as DiffView;
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
  rows: ["number"],
  differing: ["number"],
  counts: ["array"],
  rules: ["array"],
  region: ["boolean"],
};
const RULE: Record<string, string[]> = {
  number: ["number"],
  node: ["string"],
  nodes: ["array"],
  leaves: ["array"],
  outcomes: ["array"],
  outcome_share: ["number"],
  conditions: ["array"],
  support: ["number"],
  differing: ["number"],
  rate: ["number", "null"],
  coverage: ["number"],
  holdout_support: ["number"],
  holdout_differing: ["number"],
  holdout_rate: ["number", "null"],
  text: ["string"],
  query: ["string", "null"],
  sql: ["string", "null"],
};

function fits(value: object, shape: Record<string, string[]>) {
  const fields = new Map(Object.entries(value));
  for (const [name, kinds] of Object.entries(shape))
    expect(kinds, name).toContain(kindOf(fields.get(name)));
}

describe("the view that Python writes", () => {
  it("has the fields of the contract", () => {
    expect(view.version).toBe(1);
    expect(view.names).toHaveLength(2);
    expect(["good", "weak", "none"]).toContain(view.headline.tone);
    expect(view.headline.sentences.length).toBeGreaterThan(0);
    for (const node of view.nodes) fits(node, NODE);
    for (const rule of view.rules) fits(rule, RULE);
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
        expect(counts).toHaveLength(view.classes.length);
        expect(counts.reduce((sum, n) => sum + n, 0)).toBe(node.rows);
      }
    }
    for (const [i, rule] of view.rules.entries()) {
      expect(rule.number).toBe(i);
      for (const id of rulePath(index, rule)) expect(index.byId.get(id)?.rules, id).toContain(i);
    }
  });

  it("is drawn", async () => {
    const el = document.createElement("div");
    document.body.append(el);
    const unmount = mount(stubModel(stateOf(view)), el, true);
    await settle();
    expect(el.querySelectorAll('[data-or="true"]').length).toBeGreaterThan(0);
    expect(el.querySelectorAll("[data-rule]")).toHaveLength(Math.min(50, view.rules.length));
    unmount();
    el.remove();
  });
});
