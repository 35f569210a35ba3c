// What part of the tree is on screen: plain arithmetic, so that it can be tested without a browser.

import { READABLE, SMALL } from "./content";
import { type Bounds, boundsOf, type Layout, type Placed } from "./layout";
import { differs, holdsDifference } from "./visible";

/** On a canvas that is not as wide as this only a tree that grows down shows more than one split. */
const NARROW = 460;

export const isNarrow = (size: Size | null): boolean => size !== null && size.width < NARROW;

/** Whether the tree grows down: because the user wants it, or because there is no room to the right. */
export const growsDown = (wanted: boolean, size: Size | null): boolean => wanted || isNarrow(size);

export interface Size {
  width: number;
  height: number;
}

/** screen = k * world + (x, y) */
export interface Camera {
  k: number;
  x: number;
  y: number;
}

export const MARGIN = 14;
/** Below this scale the smallest text would be under 11 px. */
export const READABLE_SCALE = READABLE / SMALL;
export const SCALES: [number, number] = [0.02, 4];
/** Below this scale a box is a dot. */
const FAINT_SCALE = 0.1;
/** Below this scale words cannot be made out: differences that have no room at it are not shown all at once. */
const DIFFERENCES_SCALE = 0.5;
/** The margin where the way from the root would not fit with the usual one. */
const TIGHT = 4;

function place(bounds: Bounds, size: Size, k: number): Camera {
  const width = (bounds.x1 - bounds.x0) * k;
  const height = (bounds.y1 - bounds.y0) * k;
  return {
    k,
    x: Math.max(MARGIN, (size.width - width) / 2) - bounds.x0 * k,
    y: (size.height - height) / 2 - bounds.y0 * k,
  };
}

/** The largest scale at which all of the bounds is in view. */
export function scaleToFit(bounds: Bounds, size: Size): number {
  return Math.min(
    (size.width - 2 * MARGIN) / Math.max(1, bounds.x1 - bounds.x0),
    (size.height - 2 * MARGIN) / Math.max(1, bounds.y1 - bounds.y0),
  );
}

export function fitsReadably(layout: Layout, size: Size): boolean {
  return scaleToFit(layout.bounds, size) >= READABLE_SCALE;
}

/** The whole tree, or the part around its first difference if it would be smaller than `FAINT_SCALE`. */
export function fitCamera(layout: Layout, size: Size): Camera {
  const k = Math.min(1.25, scaleToFit(layout.bounds, size));
  if (k >= FAINT_SCALE) return place(layout.bounds, size, k);
  const target = firstDifference(layout, size, FAINT_SCALE) ?? layout.boxes[0];
  return target ? frame(layout, target, size, FAINT_SCALE) : place(layout.bounds, size, k);
}

/** The whole tree if it can be read, else one difference with as much of its path as there is room for, else the root. */
export function homeCamera(layout: Layout, size: Size): Camera {
  const whole = scaleToFit(layout.bounds, size);
  if (whole >= READABLE_SCALE) return place(layout.bounds, size, Math.min(1, whole));
  const k = READABLE_SCALE;
  const [root] = layout.boxes;
  if (!root) return { k, x: 0, y: 0 };
  return frame(layout, firstDifference(layout, size, k) ?? root, size, k);
}

/**
 * The whole tree if it can be read. Otherwise all differences, or as many as fit at the smallest
 * scale, always with the wanted one.
 */
export function differencesCamera(layout: Layout, size: Size, wanted?: Placed): Camera {
  const differing = layout.boxes.filter(({ box }) => holdsDifference(box));
  if (fitsReadably(layout, size) || differing.length === 0) return homeCamera(layout, size);
  const bounds = boundsOf(differing);
  const k = Math.min(READABLE_SCALE, scaleToFit(bounds, size));
  if (k >= DIFFERENCES_SCALE) return place(bounds, size, k);
  const target = wanted ?? firstDifference(layout, size, DIFFERENCES_SCALE);
  if (!target) return homeCamera(layout, size);
  const off = ({ x, y }: Placed) => Math.abs(x - target.x) + Math.abs(y - target.y);
  const nearest = differing.toSorted((a, b) => off(a) - off(b));
  return frame(layout, target, size, DIFFERENCES_SCALE, nearest);
}

/** The whole tree if it can be read, else the way to some boxes, else those boxes: never smaller than can be read. */
export function pathCamera(
  layout: Layout,
  path: readonly Placed[],
  boxes: readonly Placed[],
  size: Size,
): Camera {
  const whole = scaleToFit(layout.bounds, size);
  if (whole >= READABLE_SCALE) return place(layout.bounds, size, Math.min(1, whole));
  const bounds = boundsOf([...path, ...boxes]);
  const k = Math.min(1, Math.max(READABLE_SCALE, scaleToFit(bounds, size)));
  return revealCamera(boxes, place(bounds, size, k), size);
}

function fitsWithPath(layout: Layout, target: Placed, size: Size, k: number): boolean {
  const { x0, y0, x1, y1 } = boundsOf([...pathOf(layout, target), ...belowOf(layout, target)]);
  return (x1 - x0) * k <= size.width - 2 * MARGIN && (y1 - y0) * k <= size.height - 2 * MARGIN;
}

/** The difference with most rows among those that fit with their path and leaf labels; among all if none fits. */
function firstDifference(layout: Layout, size: Size, k: number): Placed | null {
  let best: Placed | null = null;
  let bestFits = false;
  for (const placed of layout.boxes) {
    if (!differs(placed.box)) continue;
    const fits = fitsWithPath(layout, placed, size, k);
    const more = placed.box.node.differing > (best?.box.node.differing ?? -1);
    if (fits === bestFits ? more : fits) {
      best = placed;
      bestFits = fits;
    }
  }
  return best;
}

function pathOf(layout: Layout, target: Placed): Placed[] {
  const path = [target];
  for (let at = target.parent; at !== null; ) {
    const placed = layout.byId.get(at);
    if (!placed) break;
    path.push(placed);
    at = placed.parent;
  }
  return path;
}

/** Ids are paths: what lies below a box begins with its id. */
function belowOf(layout: Layout, target: Placed): Placed[] {
  return layout.boxes.filter((placed) => placed.box.id.startsWith(target.box.id));
}

/** Shows the target, and as much of its path, its branches and, one by one, of other boxes as there is room for. */
function frame(
  layout: Layout,
  target: Placed,
  size: Size,
  k: number,
  others: readonly Placed[] = [],
): Camera {
  const all = layout.bounds;
  const must = boundsOf([target]);
  const path = boundsOf(pathOf(layout, target));
  const wishes = [path, boundsOf(belowOf(layout, target)), ...others.map((box) => boundsOf([box]))];
  const along = (from: "x0" | "y0", to: "x1" | "y1", length: number) => {
    const margin = (path[to] - path[from]) * k > length - 2 * MARGIN ? TIGHT : MARGIN;
    const start = span(
      [must[from], must[to]],
      wishes.map((wish) => [wish[from], wish[to]]),
      [all[from], all[to]],
      (length - 2 * margin) / k,
    );
    return margin - start * k;
  };
  return { k, x: along("x0", "x1", size.width), y: along("y0", "y1", size.height) };
}

/**
 * Start of a window of length `room` that holds `must` and as many of the wishes as fit, inside `all`. What
 * is left of it goes to the first wish, the path, so that as few as possible of its boxes are cut off.
 */
function span(
  must: [number, number],
  wishes: [number, number][],
  [low, high]: [number, number],
  room: number,
): number {
  let held = must;
  for (const wish of wishes) {
    const wider: [number, number] = [Math.min(held[0], wish[0]), Math.max(held[1], wish[1])];
    if (wider[1] - wider[0] <= room) held = wider;
  }
  if (high - low <= room) return low - (room - (high - low)) / 2;
  const cut = wishes[0] !== undefined && wishes[0][0] < held[0];
  const start = cut ? held[1] - room : held[0] - (room - (held[1] - held[0])) / 2;
  return Math.max(low, Math.min(start, high - room));
}

export function onScreen(placed: Placed, camera: Camera, size: Size): boolean {
  const left = placed.x * camera.k + camera.x;
  const top = (placed.y - placed.h / 2) * camera.k + camera.y;
  return (
    left >= -1 &&
    top >= -1 &&
    left + placed.w * camera.k <= size.width + 1 &&
    top + placed.h * camera.k <= size.height + 1
  );
}

/** What the user cannot see now: how many boxes, and how many or-nodes with rules among them. */
export function outsideView(layout: Layout, camera: Camera, size: Size) {
  const outside = layout.boxes.filter((placed) => !onScreen(placed, camera, size));
  return {
    boxes: outside.length,
    differences: outside.filter((placed) => differs(placed.box)).length,
  };
}

/** Below this scale text is a grey line. */
const LEGIBLE_SCALE = 0.3;

/** Boxes whose text can be read now or after a small move; in a large tree the others are drawn without it. */
export function legible(layout: Layout, camera: Camera, size: Size): Set<string> {
  const ids = new Set<string>();
  if (camera.k < LEGIBLE_SCALE) return ids;
  const { width, height } = size;
  for (const { box, x, y, w, h } of layout.boxes) {
    const left = x * camera.k + camera.x;
    const top = (y - h / 2) * camera.k + camera.y;
    const right = left + w * camera.k;
    const bottom = top + h * camera.k;
    if (right > -width / 2 && left < 1.5 * width && bottom > -height / 2 && top < 1.5 * height)
      ids.add(box.id);
  }
  return ids;
}

/** The smallest move that brings the boxes into view; the same camera when they are there already. */
export function revealCamera(boxes: readonly Placed[], camera: Camera, size: Size): Camera {
  if (boxes.length === 0) return camera;
  const bounds = boundsOf(boxes);
  const shift = (low: number, high: number, length: number) => {
    if (high - low > length - 2 * MARGIN) return MARGIN - low;
    if (low < MARGIN) return MARGIN - low;
    return high > length - MARGIN ? length - MARGIN - high : 0;
  };
  const { k } = camera;
  return {
    k,
    x: camera.x + shift(bounds.x0 * k + camera.x, bounds.x1 * k + camera.x, size.width),
    y: camera.y + shift(bounds.y0 * k + camera.y, bounds.y1 * k + camera.y, size.height),
  };
}
