import { describe, expect, it } from "vitest";
import type { DiffView } from "../../../js/protocol/types";
import {
  fitCamera,
  fitsReadably,
  homeCamera,
  isNarrow,
  legible,
  onScreen,
  outsideView,
  READABLE_SCALE,
  revealCamera,
} from "../../../js/tree/camera";
import type { TextSource } from "../../../js/tree/content";
import { firstView } from "../../../js/tree/initialFolds";
import { moveFor } from "../../../js/tree/keys";
import { layoutTree } from "../../../js/tree/layout";
import { cutMiddle, roughMeasure, wrapLines } from "../../../js/tree/measure";
import {
  type Box,
  differs,
  flatten,
  indexNodes,
  rulePath,
  visibleTree,
} from "../../../js/tree/visible";
import * as fixtures from "../fixtures";

const VIEWS: [string, () => DiffView][] = [
  ["breast cancer", () => fixtures.breastCancer()],
  ["small", fixtures.small],
  ["three classes", fixtures.threeClasses],
  ["no difference", fixtures.noDifference],
  ["always", fixtures.always],
  ["hostile", fixtures.hostile],
  ["big", fixtures.big],
  ["house prices", fixtures.houses],
  ["probabilities", fixtures.chances],
  ["ground truth", fixtures.judged],
  ["many classes", fixtures.manyClasses],
  ["weighted", fixtures.weighted],
  ["regions", fixtures.regions],
  ["mostly different", fixtures.mostlyDifferent],
];
const made = new Map(VIEWS.map(([name, make]) => [name, make()]));
const viewOf = (name: string) => made.get(name) as DiffView;
const wordsOf = (view: DiffView): TextSource => ({
  names: view.names,
  outputs: view.outputs,
  rules: view.rules,
  measure: roughMeasure,
});
const shown = (view: DiffView, differencesOnly: boolean, folds = new Map<string, boolean>()) =>
  visibleTree(indexNodes(view.nodes), { differencesOnly, folds });
/** Every node a box stands for. */
const standsFor = (box: Box) => [box.id, ...(box.pair?.map((leaf) => leaf.id) ?? [])];

describe.each(VIEWS.map(([name]) => name))("%s", (name) => {
  const view = viewOf(name);

  it("shows every node exactly once when nothing is folded", () => {
    const ids = flatten(shown(view, false)).flatMap(standsFor);
    expect(ids.toSorted()).toEqual(view.nodes.map((node) => node.id).toSorted());
  });

  it("keeps every node on a rule's path when only differences are shown", () => {
    const index = indexNodes(view.nodes);
    const boxes = flatten(shown(view, true));
    const ids = new Set(boxes.flatMap(standsFor));
    // a rule as a whole is one mark: how the models decide inside it is folded
    const whole = boxes.filter(({ kind, folded }) => (kind === "or" || kind === "stub") && folded);
    const isInside = (id: string) => whole.some((box) => id.startsWith(box.id) && id !== box.id);
    for (const rule of view.rules)
      expect([...rulePath(index, rule)].filter((id) => !ids.has(id) && !isInside(id))).toEqual([]);
    for (const box of boxes.filter(({ kind }) => kind === "stub"))
      expect(box.node.rules.filter((rule) => !view.rules[rule]?.agrees)).toEqual([]);
  });

  it("has the leaves of every rule in the tree, one of each model, under its or-node", () => {
    const { byId } = indexNodes(view.nodes);
    for (const rule of view.rules)
      for (const [one, two] of rule.leaves) {
        expect([byId.get(one)?.kind, byId.get(one)?.side]).toEqual(["leaf", 1]);
        expect([byId.get(two)?.kind, byId.get(two)?.side]).toEqual(["leaf", 2]);
        expect(one.startsWith(rule.node) && two.startsWith(rule.node)).toBe(true);
      }
  });

  it.each([true, false])("never lays two boxes on each other (differences only: %s)", (only) => {
    const { boxes, byId } = layoutTree(shown(view, only), wordsOf(view));
    // Sorted by their left edge, a box can only meet those that begin before it ends.
    const sorted = boxes.toSorted((a, b) => a.x - b.x);
    const met: string[] = [];
    for (const [i, a] of sorted.entries())
      for (let j = i + 1; j < sorted.length && (sorted[j]?.x ?? 0) < a.x + a.w; j += 1) {
        const b = sorted[j] as typeof a;
        if (Math.abs(a.y - b.y) < (a.h + b.h) / 2) met.push(`${a.box.id} and ${b.box.id}`);
      }
    expect(met).toEqual([]);
    for (const placed of boxes) {
      const parent = placed.parent === null ? null : byId.get(placed.parent);
      if (parent) expect(placed.x).toBeGreaterThan(parent.x + parent.w);
    }
  });

  it("has one link to every box but the root, wider for more rows, at least 1 px", () => {
    const { boxes, links } = layoutTree(shown(view, false), wordsOf(view));
    expect(links.map((link) => link.id)).toEqual(boxes.slice(1).map(({ box }) => box.id));
    for (const link of links) expect(link.width).toBeGreaterThanOrEqual(1);
    const splits = links.filter((link) => !link.bracket);
    const rows = (id: string) => indexNodes(view.nodes).byId.get(id)?.rows ?? 0;
    for (const a of splits.slice(0, 20))
      for (const b of splits.slice(0, 20))
        if (rows(a.id) > rows(b.id)) expect(a.width).toBeGreaterThanOrEqual(b.width);
    for (const link of links) expect(link.label).not.toBe("");
  });

  it("fits as a whole, and first shows a difference to be read", () => {
    const size = { width: 720, height: 420 };
    const layout = layoutTree(shown(view, true), wordsOf(view));
    const whole = fitCamera(layout, size);
    expect(whole.k).toBeGreaterThanOrEqual(0.1);
    if (name !== "big") expect(outsideView(layout, whole, size).boxes).toBe(0);
    const home = homeCamera(layout, size);
    expect(home.k).toBeGreaterThanOrEqual(READABLE_SCALE);
    const differing = layout.boxes.filter(({ box }) => differs(box));
    if (differing.length > 0)
      expect(differing.some((placed) => onScreen(placed, home, size))).toBe(true);
  });
});

describe("folding", () => {
  const view = viewOf("breast cancer");

  it("hides exactly the descendants", () => {
    const before = flatten(shown(view, false)).flatMap(standsFor);
    const after = flatten(shown(view, false, new Map([["ry", true]]))).flatMap(standsFor);
    const hidden = before.filter((id) => !after.includes(id));
    expect(hidden).toEqual(before.filter((id) => id.startsWith("ry") && id !== "ry"));
    expect(hidden.length).toBeGreaterThan(5);
  });

  it("opens a stub down to its leaves", () => {
    const stub = flatten(shown(view, true)).find(({ kind }) => kind === "stub") as Box;
    const folds = new Map([[stub.id, false]]);
    const opened = flatten(shown(view, true, folds)).filter(({ id }) => id.startsWith(stub.id));
    expect(opened.some(({ kind }) => kind === "stub")).toBe(false);
    expect(opened[0]?.foldable).toBe(true);
  });

  it("draws an or-node with two leaves as one box", () => {
    const boxes = flatten(shown(view, false));
    expect(boxes.some(({ kind }) => kind === "pair")).toBe(true);
    expect(boxes.some(({ kind }) => kind === "or")).toBe(true);
    for (const box of boxes.filter(({ kind }) => kind === "pair"))
      expect(box.pair?.map((leaf) => leaf.side)).toEqual([1, 2]);
  });

  it("tells agreement from differences too few for a rule", () => {
    const words = wordsOf(view);
    const lines = layoutTree(shown(view, true), words).boxes.flatMap(({ content }) =>
      content.kind === "stub" ? [content.lines[0]] : [],
    );
    expect(lines.every((line) => /^(agree|no rule) · [\d,]+ rows?$/.test(line ?? ""))).toBe(true);
  });
});

describe("first view", () => {
  const view = viewOf("breast cancer");
  const index = indexNodes(view.nodes);

  it("folds nothing where all of it can be read", () => {
    const size = { width: 4000, height: 4000 };
    expect(firstView(index, wordsOf(view), size, [false]).folds.size).toBe(0);
  });

  it("folds or-nodes where it cannot, and then it fits", () => {
    const size = { width: 900, height: 420 };
    const whole = layoutTree(shown(view, true), wordsOf(view));
    expect(fitsReadably(whole, size)).toBe(false);
    const { folds } = firstView(index, wordsOf(view), size, [false]);
    expect(folds.size).toBeGreaterThan(0);
    expect(fitsReadably(layoutTree(shown(view, true, folds), wordsOf(view)), size)).toBe(true);
  });
});

describe.each(VIEWS.map(([name]) => name))("the first view of %s", (name) => {
  const view = viewOf(name);
  const index = indexNodes(view.nodes);

  it.each([
    [800, 600, 2],
    [370, 480, 1],
  ])("shows the or-nodes of the first rules, %i x %i", (width, height, least) => {
    const size = { width, height };
    const words = { ...wordsOf(view), narrow: isNarrow(size) };
    const { folds, down } = firstView(index, words, size, isNarrow(size) ? [true] : [false, true]);
    const layout = layoutTree(shown(view, true, folds), words, down);
    const home = homeCamera(layout, size);
    // so deep that two paths have no room
    const deep = name === "big" || name === "many classes";
    const nodes = new Set(view.rules.slice(0, 3).map(({ node }) => node));
    const seen = [...nodes].filter((id) => {
      const placed = layout.byId.get(id);
      return placed && onScreen(placed, home, size);
    });
    expect(seen.length).toBeGreaterThanOrEqual(Math.min(deep ? 1 : least, nodes.size));
  });
});

describe("camera", () => {
  it("asks for text only near the view, and for none when it is too small to read", () => {
    const layout = layoutTree(shown(viewOf("big"), false), wordsOf(viewOf("big")));
    const size = { width: 700, height: 400 };
    const home = homeCamera(layout, size);
    const near = legible(layout, home, size);
    expect(near.size).toBeLessThan(200);
    for (const placed of layout.boxes)
      if (onScreen(placed, home, size)) expect(near).toContain(placed.box.id);
    expect(legible(layout, { ...home, k: 0.1 }, size).size).toBe(0);
  });

  it("moves only as far as needed to reveal a box", () => {
    const layout = layoutTree(shown(viewOf("big"), false), wordsOf(viewOf("big")));
    const size = { width: 700, height: 400 };
    const start = { k: 1, x: 0, y: 0 };
    for (const placed of layout.boxes.slice(0, 200)) {
      const next = revealCamera([placed], start, size);
      expect(onScreen(placed, next, size)).toBe(true);
      expect(revealCamera([placed], next, size)).toEqual(next);
    }
  });
});

describe("n and p", () => {
  it("stop at a folded box that holds a difference", () => {
    const view = viewOf("breast cancer");
    const folds = new Map([
      ["ry", true],
      ["rn", true],
    ]);
    const steps = layoutTree(shown(view, true, folds), wordsOf(view)).boxes;
    expect(steps.filter(({ box }) => box.folded && box.kind === "split").length).toBeGreaterThan(0);
    const reached = moveFor("n", steps, "r");
    expect(reached).toEqual({ kind: "focus", id: "ry" });
    expect(moveFor("p", steps, "rn")).toEqual({ kind: "focus", id: "ry" });
  });
});

describe("keys", () => {
  const steps = layoutTree(
    shown(viewOf("breast cancer"), true),
    wordsOf(viewOf("breast cancer")),
  ).boxes;
  const first = steps[0]?.box.id ?? "";

  it("walks in reading order and stops at the ends", () => {
    expect(moveFor("ArrowDown", steps, first)).toEqual({ kind: "focus", id: steps[1]?.box.id });
    expect(moveFor("ArrowUp", steps, first)).toEqual({ kind: "focus", id: first });
    expect(moveFor("End", steps, first)).toEqual({ kind: "focus", id: steps.at(-1)?.box.id });
  });

  it("goes from difference to difference and back", () => {
    const next = moveFor("n", steps, first);
    const found = steps.filter(({ box }) => differs(box)).map(({ box }) => box.id);
    expect(next).toEqual({ kind: "focus", id: found[0] });
    expect(moveFor("p", steps, found[1] as string)).toEqual({ kind: "focus", id: found[0] });
  });

  it("leaves other keys to the page", () => {
    expect(moveFor("a", steps, first)).toBeNull();
  });
});

describe("text that has to fit", () => {
  const width = (text: string) => text.length;

  it("is cut in the middle, no wider than its room", () => {
    expect(cutMiddle("short", 10, width)).toBe("short");
    expect(cutMiddle("mean concave points", 9, width)).toBe("mean…ints");
    for (let room = 2; room < 30; room += 1)
      expect(width(cutMiddle("a name that goes on and on", room, width))).toBeLessThanOrEqual(room);
  });

  it("breaks at spaces first, never after an operator", () => {
    expect(wrapLines("worst perimeter < 116.05", 16, width)).toEqual([
      "worst perimeter",
      "< 116.05",
    ]);
    expect(wrapLines("unbreakable", 8, width)).toEqual(["unbr…ble"]);
  });

  it("breaks inside a name if all of it is seen then", () => {
    const wrapped = (text: string) => wrapLines(text, 18, width);
    expect(wrapped("ExternalRiskEstimate < 74")).toEqual(["ExternalRisk", "Estimate < 74"]);
    expect(wrapped("Horizontal_Distance_To_Hydrology < 230")).toEqual([
      "Horizontal_",
      "Distance_To_",
      "Hydrology < 230",
    ]);
    expect(wrapped("net-charge >= -0.5e-10")).toEqual(["net-charge", ">= -0.5e-10"]);
    expect(wrapped("x".repeat(300)).join("")).toContain("…");
  });
});
