// A selected rule folds what leads elsewhere, and the camera shows the way to it.

import { describe, expect, it } from "vitest";
import type { DiffView } from "../../../js/protocol/types";
import { pathCamera, READABLE_SCALE } from "../../../js/tree/camera";
import { endsOf, focusFolds } from "../../../js/tree/focus";
import { foldsToFit } from "../../../js/tree/initialFolds";
import { layoutTree } from "../../../js/tree/layout";
import { roughMeasure } from "../../../js/tree/measure";
import { flatten, indexNodes, pathTo, visibleTree } from "../../../js/tree/visible";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, click, one, show } = stage;
const VIEWS: [string, () => DiffView][] = [
  ["branches", fixtures.breastCancer],
  ["regions", fixtures.regions],
  ["agreement", fixtures.mostlyDifferent],
  ["many classes", fixtures.manyClasses],
  ["values", fixtures.houses],
];

describe.each(VIEWS)("a selected rule: %s", (_, make) => {
  const view = make();
  const index = indexNodes(view.nodes);
  const drawn = (numbers: number[]) => {
    const folds = focusFolds(index, view, numbers) ?? new Map();
    return visibleTree(index, { differencesOnly: true, folds });
  };

  it("is drawn with its way, and nothing else is open", () => {
    for (const rule of view.rules) {
      const boxes = flatten(drawn([rule.number]));
      const ids = new Set(boxes.flatMap(({ id, pair }) => [id, ...(pair ?? []).map((p) => p.id)]));
      const way = new Set(endsOf(rule).flatMap((id) => pathTo(index, id)));
      for (const id of way) expect(ids, `${rule.number}: ${id}`).toContain(id);
      const inside = (id: string) => endsOf(rule).some((end) => id.startsWith(end));
      for (const { id, children } of boxes)
        if (children.length > 0 && !inside(id)) expect(way).toContain(id);
    }
  });

  it("is never shown smaller than can be read, and always on screen", () => {
    const size = { width: 520, height: 240 };
    const words = { ...view, measure: roughMeasure };
    for (const rule of view.rules) {
      const layout = layoutTree(drawn([rule.number]), words);
      const boxOf = (id: string): never[] =>
        (layout.byId.get(id) ?? (id.length > 1 ? boxOf(id.slice(0, -1)) : [])) as never[];
      const ends = [rule.node].flatMap(boxOf);
      const path = endsOf(rule).flatMap((id) => pathTo(index, id).flatMap(boxOf));
      const { k, x, y } = pathCamera(layout, path, ends, size);
      expect(k).toBeGreaterThanOrEqual(READABLE_SCALE - 1e-9);
      const [end] = ends as unknown as { x: number; y: number }[];
      if (!end) throw new Error("no box");
      expect(end.x * k + x).toBeGreaterThan(-1);
      expect(end.x * k + x).toBeLessThan(size.width);
      expect(end.y * k + y).toBeGreaterThan(0);
      expect(end.y * k + y).toBeLessThan(size.height);
    }
  });
});

describe("the first view", () => {
  it("opens the way to the largest rules before that to the smallest", () => {
    const view = fixtures.manyClasses();
    const index = indexNodes(view.nodes);
    const endsIn = (root: ReturnType<typeof visibleTree>) =>
      flatten(root).filter(({ children }) => children.length === 0).length;
    const folds = foldsToFit(index, view.rules, (root) => endsIn(root) <= 6);
    const open = flatten(visibleTree(index, { differencesOnly: true, folds }));
    const shown = (id: string) => open.some((box) => box.id === id);
    const sizes = view.rules.toSorted((a, b) => b.differing - a.differing);
    const seen = sizes.map(({ node }) => shown(node));
    expect(seen.filter(Boolean).length).toBeGreaterThan(0);
    expect(seen.every(Boolean)).toBe(false);
    expect(seen[0]).toBe(true);
  });
});

describe("picking a rule in the widget", () => {
  it("folds the rest, whatever was open, and lets the user open it again", async () => {
    const view = fixtures.breastCancer();
    await show(view, { folds: { ry: false } });
    const before = all("[data-node]").length;
    const rule = view.rules[0];
    if (!rule) throw new Error("no rule");
    await click(one('[data-rule="0"]'));
    const way = new Set(endsOf(rule).flatMap((id) => pathTo(indexNodes(view.nodes), id)));
    const open = all('[data-node][aria-expanded="true"]').map(({ dataset }) => dataset.node ?? "");
    for (const id of open) expect(way).toContain(id);
    expect(all("[data-node]").length).toBeLessThan(before);
    expect(one('[data-testid="imd-hint"]').textContent).toContain("unfold all");
    // the user's folds are the user's: nothing was written
    expect(stage.model.get("folds")).toEqual({ ry: false });
    const closed = one('[data-node][aria-expanded="false"]');
    const id = closed.dataset.node ?? "";
    await click(closed.querySelector<HTMLElement>(".imd-chevron") ?? undefined);
    expect(one(`[data-node="${id}"]`).getAttribute("aria-expanded")).toBe("true");
    stage.model.receive("selected_rules", []);
    await settle();
    expect(all("[data-node]").length).toBeGreaterThanOrEqual(before);
  });

  it("shows its node in the tab", async () => {
    const view = fixtures.breastCancer();
    await show(view, { tab: "Node", selected_rules: [2] });
    const node = view.nodes.find(({ id }) => id === view.rules[2]?.node);
    expect(one('[data-testid="imd-node-panel"]').textContent).toContain("The node of rule 2.");
    expect(all("[data-crumb]").at(-1)?.dataset.crumb).toBe(node?.id);
  });

  it("opens everything again with unfold all", async () => {
    const view = fixtures.breastCancer();
    await show(view, { selected_rules: [0] });
    await click(all('[data-testid="imd-hint"] button').at(-1));
    const whole = visibleTree(indexNodes(view.nodes), { differencesOnly: true, folds: new Map() });
    expect(all("[data-node]").length).toBe(flatten(whole).length);
    expect(stage.model.get("selected_rules")).toEqual([0]);
  });
});
