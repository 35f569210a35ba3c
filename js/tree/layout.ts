// Where the boxes go: columns from left to right, or rows from the top, no two boxes on top of each other.

import { CIRCLE, type Content, contentOf, modelName, SMALL, type TextSource } from "./content";
import { bracketPath, splitPath, turned } from "./paths";
import { type TidyNode, tidyTree } from "./tidy";
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
  labelAnchor: "start" | "end";
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
const COLUMN_GAP = 50;
/** Between rows of a tree that grows down: room for the words beside a link. */
const LEVEL_GAP = 28;
/** Room for the spine of a bracket and the start of its arms, beside their label. */
const BRACKET_ROOM = 42;
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

function edgeLabel(box: Box, words: TextSource): string {
  const { edge } = box.node;
  if (edge === "model1" || edge === "model2")
    return `${modelName(words, edge === "model1" ? 1 : 2)} predicts`;
  return edge ?? "";
}

/** A box of the hierarchy, or the room that a wide end box takes in the columns to its right. */
interface Cell {
  box: Box;
  spill: boolean;
  children: Cell[];
}

/** Columns are as wide as the boxes that lead on; an end box may be wider and spills over to its right. */
function columnsOf(root: Box, contents: ReadonlyMap<Box, Content>, words: TextSource) {
  const inner: number[] = [];
  const gaps: number[] = [];
  const visit = (box: Box, depth: number) => {
    const w = box.children.length > 0 ? (contents.get(box)?.w ?? 0) : 0;
    inner[depth] = Math.max(inner[depth] ?? 0, w);
    const says = box.node.edge === "model1" || box.node.edge === "model2";
    const gap = says ? BRACKET_ROOM + words.measure(edgeLabel(box, words), SMALL) : COLUMN_GAP;
    gaps[depth] = Math.max(gaps[depth] ?? COLUMN_GAP, gap);
    for (const child of box.children) visit(child, depth + 1);
  };
  visit(root, 0);
  const x = [0];
  for (let i = 1; i < inner.length; i += 1)
    x[i] = (x[i - 1] ?? 0) + (inner[i - 1] ?? 0) + (gaps[i] ?? COLUMN_GAP);
  // where the words on the edges into a column begin
  const labels = x.map((at, i) => at - Math.max(COLUMN_GAP, (gaps[i] ?? 0) - BRACKET_ROOM / 2));
  return { x, inner, labels };
}

/** The tidy tree keeps apart what is in one column: so a box that spills over is given a place in each. */
function cellsOf(
  box: Box,
  depth: number,
  columns: { x: readonly number[]; labels: readonly number[] },
  contents: ReadonlyMap<Box, Content>,
): Cell {
  const cell: Cell = { box, spill: false, children: [] };
  if (box.children.length > 0) {
    cell.children = box.children.map((child) => cellsOf(child, depth + 1, columns, contents));
    return cell;
  }
  // what is written on an edge stands left of its box: a box that reaches there is in the way too
  const right = (columns.x[depth] ?? 0) + (contents.get(box)?.w ?? 0);
  let last = cell;
  for (let i = depth + 1; i < columns.x.length && (columns.labels[i] ?? 0) < right; i += 1) {
    const next: Cell = { box, spill: true, children: [] };
    last.children = [next];
    last = next;
  }
  return cell;
}

function measureAll(root: Box, words: TextSource): Map<Box, Content> {
  const contents = new Map<Box, Content>();
  const visit = (box: Box) => {
    contents.set(box, contentOf(box, words));
    box.children.forEach(visit);
  };
  visit(root);
  return contents;
}

export function layoutTree(root: Box | null, words: TextSource, down = false): Layout {
  if (!root) return EMPTY;
  const contents = measureAll(root, { ...words, down });
  return down ? layoutDown(root, contents, words) : layoutRight(root, contents, words);
}

function layoutRight(root: Box, contents: ReadonlyMap<Box, Content>, words: TextSource): Layout {
  const columns = columnsOf(root, contents, words);
  const arranged = tidyTree(
    cellsOf(root, 0, columns, contents),
    ({ children }) => children,
    ({ box }) => (contents.get(box)?.h ?? 0) + ROW_GAP,
  );
  const boxes = arranged.flatMap((node) => {
    const { box, spill } = node.data;
    return spill ? [] : placedAt(node, box, contents, columns.x[node.depth] ?? 0, node.x);
  });
  return linked(boxes, root, words, (parent, child, width) => {
    // right end of the parent's column, where links may leave the height of their parent
    const lane = (columns.x[parent.column] ?? 0) + (columns.inner[parent.column] ?? 0);
    const from = outX(parent);
    return {
      path: isBracket(parent)
        ? bracketPath(from, parent.y, lane + 22, child.x, child.y)
        : splitPath(from, parent.y, lane, child.x, child.y),
      labelX: child.x - 8,
      // On the far side of the link as it comes from its parent, which so never runs through it.
      labelY: child.y + (child.y > parent.y ? width / 2 + 13 : -width / 2 - 5),
      labelAnchor: "end",
    };
  });
}

/** Middle of what a link leaves from, or arrives at, seen from above. */
function middleX({ x, w, content }: Placed): number {
  return x + (content.kind === "or" ? CIRCLE : w) / 2;
}

function layoutDown(root: Box, contents: ReadonlyMap<Box, Content>, words: TextSource): Layout {
  const size = (box: Box) => contents.get(box) ?? { w: 0, h: 0 };
  const arranged = tidyTree(
    root,
    ({ children }) => children,
    (box) => size(box).w + LEVEL_GAP / 2,
  );
  const heights: number[] = [];
  for (const { data, depth } of arranged)
    heights[depth] = Math.max(heights[depth] ?? 0, size(data).h);
  const tops = heights.map((_, i) =>
    heights.slice(0, i).reduce((sum, height) => sum + height + LEVEL_GAP, 0),
  );
  const boxes = arranged.map((node) => {
    const { w, h } = size(node.data);
    const y = (tops[node.depth] ?? 0) + h / 2;
    return placedAt(node, node.data, contents, node.x - w / 2, y);
  });
  return linked(boxes, root, words, (parent, child, width) => {
    const [x0, x1] = [middleX(parent), middleX(child)];
    const [y0, y1] = [parent.y + parent.h / 2, child.y - child.h / 2];
    // links of a row leave it where the tallest of its boxes ends
    const lane = (tops[parent.column] ?? 0) + (heights[parent.column] ?? 0);
    const away = width / 2 + 6;
    return {
      path: isBracket(parent)
        ? turned(bracketPath(y0, x0, lane + 14, y1, x1))
        : turned(splitPath(y0, x0, lane, y1, x1)),
      labelX: x1 > x0 ? x1 + away : x1 - away,
      labelY: y1 - 6,
      labelAnchor: x1 > x0 ? "start" : "end",
    };
  });
}

function placedAt<T>(
  node: TidyNode<T>,
  box: Box,
  contents: ReadonlyMap<Box, Content>,
  x: number,
  y: number,
): Placed {
  const content = contents.get(box) as Content;
  return {
    box,
    content,
    x,
    y,
    w: content.w,
    h: content.h,
    column: node.depth,
    // ids are paths
    parent: node.parent && box.id.slice(0, -1),
    position: (node.parent?.children.indexOf(node) ?? 0) + 1,
    siblings: node.parent?.children.length ?? 1,
  };
}

function isBracket(parent: Placed): boolean {
  return parent.box.node.kind === "or";
}

type Way = Pick<Link, "path" | "labelX" | "labelY" | "labelAnchor">;

function linked(
  boxes: Placed[],
  root: Box,
  words: TextSource,
  way: (parent: Placed, child: Placed, width: number) => Way,
): Layout {
  const byId = new Map(boxes.map((placed) => [placed.box.id, placed]));
  const total = Math.max(1, root.node.rows);
  const links = boxes.flatMap((child): Link[] => {
    const parent = child.parent === null ? undefined : byId.get(child.parent);
    if (!parent) return [];
    const { id, node } = child.box;
    const bracket = isBracket(parent);
    // A bracket carries the same rows twice: a width by rows would look like a split of them.
    const rows = Math.sqrt(Math.max(0, node.rows) / total);
    const width = bracket ? 2 : Math.max(1, WIDEST_LINK * rows);
    const label = edgeLabel(child.box, words);
    return [
      {
        id,
        parent: parent.box.id,
        side: node.side,
        bracket,
        width,
        label,
        ...way(parent, child, width),
      },
    ];
  });
  return { boxes, links, byId, bounds: boundsOf(boxes) };
}
