// Where the boxes go: columns from left to right, no two boxes on top of each other.

import { hierarchy, tree } from "d3-hierarchy";
import { CIRCLE, type Content, contentOf, modelName, SMALL, type Words } from "./content";
import type { Box } from "./visible";

export interface Placed {
  box: Box;
  content: Content;
  /** Left edge and vertical middle. */
  x: number;
  y: number;
  w: number;
  h: number;
  column: number;
  parent: string | null;
  /** 1-based place among its siblings. */
  position: number;
  siblings: number;
}

export interface Link {
  /** Of the child: every box but the root has one. */
  id: string;
  parent: string;
  side: 0 | 1 | 2;
  bracket: boolean;
  path: string;
  width: number;
  label: string;
  labelX: number;
  labelY: number;
}

export interface Bounds {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export interface Layout {
  boxes: Placed[];
  links: Link[];
  byId: ReadonlyMap<string, Placed>;
  bounds: Bounds;
}

const ROW_GAP = 16;
const COLUMN_GAP = 48;
const WIDEST_LINK = 8;

export const EMPTY: Layout = {
  boxes: [],
  links: [],
  byId: new Map(),
  bounds: { x0: 0, y0: 0, x1: 1, y1: 1 },
};

export function boundsOf(boxes: readonly Placed[]): Bounds {
  const bounds = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (const { x, y, w, h } of boxes) {
    bounds.x0 = Math.min(bounds.x0, x);
    bounds.x1 = Math.max(bounds.x1, x + w);
    bounds.y0 = Math.min(bounds.y0, y - h / 2);
    bounds.y1 = Math.max(bounds.y1, y + h / 2);
  }
  return boxes.length > 0 ? bounds : EMPTY.bounds;
}

/** Where links leave a box: a circle with a note below it is taller than its mark. */
export function outX(placed: Placed): number {
  return placed.x + (placed.content.kind === "or" ? CIRCLE : placed.w);
}

function edgeLabel(box: Box, words: Words): string {
  const { edge } = box.node;
  if (edge === "model1" || edge === "model2")
    return `${modelName(words, edge === "model1" ? 1 : 2)} says`;
  return edge ?? "";
}

export function layoutTree(root: Box | null, words: Words): Layout {
  if (!root) return EMPTY;
  const top = hierarchy(root, (box) => box.children);
  const contents = new Map<Box, Content>();
  const columnWidth: number[] = [];
  const labelWidth: number[] = [];
  top.each((node) => {
    const content = contentOf(node.data, words);
    contents.set(node.data, content);
    columnWidth[node.depth] = Math.max(columnWidth[node.depth] ?? 0, content.w);
    const label = words.measure(edgeLabel(node.data, words), SMALL);
    labelWidth[node.depth] = Math.max(labelWidth[node.depth] ?? 0, label);
  });
  const height = (box: Box) => contents.get(box)?.h ?? 0;
  const arranged = tree<Box>()
    .nodeSize([1, 1])
    .separation((a, b) => (height(a.data) + height(b.data)) / 2 + ROW_GAP)(top);

  const columnX = [0];
  for (let i = 1; i < columnWidth.length; i += 1)
    columnX[i] =
      (columnX[i - 1] ?? 0) + (columnWidth[i - 1] ?? 0) + COLUMN_GAP + (labelWidth[i] ?? 0);

  const boxes: Placed[] = [];
  const byId = new Map<string, Placed>();
  arranged.eachBefore((node) => {
    const content = contents.get(node.data) as Content;
    const placed: Placed = {
      box: node.data,
      content,
      x: columnX[node.depth] ?? 0,
      y: node.x,
      w: content.w,
      h: content.h,
      column: node.depth,
      parent: node.parent?.data.id ?? null,
      position: (node.parent?.children?.indexOf(node) ?? 0) + 1,
      siblings: node.parent?.children?.length ?? 1,
    };
    boxes.push(placed);
    byId.set(placed.box.id, placed);
  });

  const links: Link[] = [];
  for (const placed of boxes) {
    const parent = placed.parent === null ? undefined : byId.get(placed.parent);
    if (!parent) continue;
    const lane = columnX[placed.column] ?? 0;
    const lastLane = (columnX[parent.column] ?? 0) + (columnWidth[parent.column] ?? 0);
    const bend = lane - (labelWidth[placed.column] ?? 0) - 14;
    links.push(linkBetween(parent, placed, root, words, lastLane, bend));
  }
  return { boxes, links, byId, bounds: boundsOf(boxes) };
}

/** `lane`: right end of the parent's column; `bend`: where the label's straight piece begins. */
function linkBetween(
  parent: Placed,
  child: Placed,
  root: Box,
  words: Words,
  lane: number,
  bend: number,
): Link {
  const bracket = parent.box.node.kind === "or";
  const from = outX(parent);
  const total = Math.max(1, root.node.rows);
  const rows = Math.sqrt(Math.max(0, child.box.node.rows) / total);
  return {
    id: child.box.id,
    parent: parent.box.id,
    side: child.box.node.side,
    bracket,
    path: bracket
      ? bracketPath(from, parent.y, bend - 8, child.x, child.y)
      : splitPath(from, parent.y, lane, bend, child.x, child.y),
    // A bracket carries the same rows twice: a width by rows would look like a split of them.
    width: bracket ? 2 : Math.max(1, WIDEST_LINK * rows),
    label: edgeLabel(child.box, words),
    labelX: child.x - 7,
    labelY: child.y,
  };
}

function splitPath(x0: number, y0: number, lane: number, bend: number, x1: number, y1: number) {
  const middle = (lane + bend) / 2;
  return `M${x0},${y0}L${lane},${y0}C${middle},${y0} ${middle},${y1} ${bend},${y1}L${x1},${y1}`;
}

/** Square corners, so that it cannot be taken for a split. */
function bracketPath(x0: number, y0: number, spine: number, x1: number, y1: number) {
  const r = Math.min(6, Math.abs(y1 - y0) / 2);
  const down = y1 > y0 ? 1 : -1;
  return `M${x0},${y0}L${spine},${y0}L${spine},${y1 - down * r}Q${spine},${y1} ${spine + r},${y1}L${x1},${y1}`;
}
