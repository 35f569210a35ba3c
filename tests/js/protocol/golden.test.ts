import { describe, expect, it } from "vitest";
import { mount } from "../../../js/entry/mount";
import { type SentView, unpack } from "../../../js/protocol/codec";
import { indexNodes, rulePath } from "../../../js/tree/visible";
// Written by pytest. Read as a module, so that a missing file fails here and not in silence.
import golden from "../../golden/quickstart.json";
import { stateOf } from "../fixtures";
import { settle, stubModel } from "../support";

const view = unpack(golden as unknown as SentView);
describe("the view that Python writes", () => {
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
