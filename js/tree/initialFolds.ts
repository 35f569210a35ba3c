// What is folded at the first view, so that all of it can be read at once.

import type { RuleView } from "../protocol/types";
import { fitsReadably, MARGIN, READABLE_SCALE, type Size } from "./camera";
import type { TextSource } from "./content";
import { layoutTree } from "./layout";
import { type Box, flatten, pathTo, type TreeIndex, visibleTree } from "./visible";

/** Each try lays out what is visible: a limit keeps the first view of a huge tree quick. */
const TRIES = 40;
/** Rules whose or-nodes are in the first view if possible. */
const FIRST_RULES = 3;

type Fits = (root: Box | null) => boolean;

/** What the first view folds, and whether its tree grows down. */
export interface FirstView {
  folds: Map<string, boolean>;
  down: boolean;
}

/**
 * Folds boxes so that the whole tree fits and can be read; none when all of it does. The paths to the first
 * rules stay open if they fit, and at least one does in any case. `directions` lists the directions in which
 * the tree may grow, true for down. The first one that has room for two of these rules is used, else for one.
 */
export function firstView(
  index: TreeIndex,
  words: TextSource,
  size: Size,
  directions: readonly boolean[],
): FirstView {
  const { rules } = words;
  const fitsIn =
    (down: boolean): Fits =>
    (root) =>
      mayFit(root, size) && fitsReadably(layoutTree(root, words, down), size);
  const most = Math.min(FIRST_RULES, rules.length);
  for (const least of [Math.min(2, most), 1])
    for (const down of directions) {
      const fits = fitsIn(down);
      if (fits(drawn(index, new Map()))) return { folds: new Map(), down };
      for (let n = most; n >= Math.max(1, least); n--) {
        const start = pathFolds(index, rules.slice(0, n));
        if (fits(drawn(index, start))) return { folds: openMore(index, rules, start, fits), down };
      }
    }
  // Without room for all of a path, the camera shows its end.
  const down = directions.at(-1) ?? false;
  const [first] = rules;
  const folds = first ? pathFolds(index, [first]) : foldsToFit(index, rules, fitsIn(down));
  return { folds, down };
}

const drawn = (index: TreeIndex, folds: ReadonlyMap<string, boolean>) =>
  visibleTree(index, { differencesOnly: true, folds });

/** Folds so that the paths to the nodes of these rules are open, and nothing else. */
function pathFolds(index: TreeIndex, rules: readonly RuleView[]): Map<string, boolean> {
  const path = new Set(rules.flatMap(({ node }) => pathTo(index, node).slice(0, -1)));
  const folds = new Map<string, boolean>();
  const visit = (box: Box) => {
    for (const child of box.children)
      if (path.has(child.id)) visit(child);
      else if (opens(child)) folds.set(child.id, true);
  };
  const root = drawn(index, folds);
  if (root) visit(root);
  return folds;
}

/** The rows that a rule tells of: those that differ, or agree. */
const coveredRows = ({ agrees, support, differing }: RuleView) =>
  agrees ? support - differing : differing;

/**
 * From the root down: what is folded is opened, the way to the largest rule first and or-nodes last, as
 * long as the tree still fits. So every difference is on screen, if only as a number in a folded box.
 */
export function foldsToFit(
  index: TreeIndex,
  rules: readonly RuleView[],
  fits: Fits,
): Map<string, boolean> {
  const root = drawn(index, new Map());
  if (fits(root)) return new Map();
  const folds = (root?.children ?? []).filter(opens).map((box) => [box.id, true] as const);
  return openMore(index, rules, new Map(folds), fits);
}

function openMore(
  index: TreeIndex,
  rules: readonly RuleView[],
  start: Map<string, boolean>,
  fits: Fits,
): Map<string, boolean> {
  const largest = ({ node }: Box) =>
    node.rules.reduce(
      (most, number) => Math.max(most, rules[number] ? coveredRows(rules[number]) : 0),
      0,
    );
  let folds = start;
  const stuck = new Set<string>();
  for (let tries = 0; tries < TRIES; tries++) {
    const next = flatten(drawn(index, folds))
      .filter((box) => folds.has(box.id) && !stuck.has(box.id))
      .sort(
        (a, b) =>
          // what is inside an or-node comes last: its circle shows the difference already
          Number(a.kind === "or") - Number(b.kind === "or") ||
          largest(b) - largest(a) ||
          b.node.differing - a.node.differing,
      )[0];
    if (!next) break;
    const more = new Map(folds);
    more.delete(next.id);
    const opened = flatten(drawn(index, more)).find((box) => box.id === next.id);
    for (const child of opened?.children ?? []) if (opens(child)) more.set(child.id, true);
    if (fits(drawn(index, more))) folds = more;
    else stuck.add(next.id);
  }
  return folds;
}

/** The height that the tree needs in a canvas of this size: all of it if it can be read there, else what is folded to fit. */
export function wantedHeight(
  index: TreeIndex,
  words: TextSource,
  size: Size,
  directions: readonly boolean[],
): number {
  const { folds, down } = firstView(index, words, size, directions);
  const { x0, y0, x1, y1 } = layoutTree(drawn(index, folds), words, down).bounds;
  const whole = (size.width - 2 * MARGIN) / Math.max(1, x1 - x0);
  const k = Math.min(1, Math.max(READABLE_SCALE, whole));
  return (y1 - y0) * k + 2 * MARGIN;
}

/** No leaf box is less high or wide than this: a tree with more of them than there is room for needs no layout. */
const LEAST = 40;

function mayFit(root: Box | null, { width, height }: Size): boolean {
  const ends = flatten(root).filter((box) => box.children.length === 0).length;
  return ends * LEAST * READABLE_SCALE <= Math.max(width, height);
}

/** Whether the box has a rule below it that unfolding would show. */
function opens(box: Box): boolean {
  return box.children.length > 0 && box.node.rules.length > 0;
}
