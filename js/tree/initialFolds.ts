// What is folded at the first view, so that all of it can be read at once.

import type { RuleView } from "../protocol/types";
import { fitsReadably, MARGIN, READABLE_SCALE, type Size, showsDifference } from "./camera";
import type { TextSource } from "./content";
import { focusFolds } from "./focus";
import { layoutTree } from "./layout";
import { type Box, differs, flatten, type TreeIndex, visibleTree } from "./visible";

/** Each try lays out what is visible: a limit keeps the first view of a huge tree quick. */
const TRIES = 40;

/**
 * Boxes to fold so that the whole tree fits and can be read; an empty map when all of it does. Where that
 * leaves no difference on screen, the way to the largest rule is open instead, if it fits.
 */
export function initialFolds(
  index: TreeIndex,
  words: TextSource,
  size: Size,
  down: boolean,
): Map<string, boolean> {
  const { rules } = words;
  const folds = foldsToFit(
    index,
    rules,
    (root) => mayFit(root, size) && fitsReadably(layoutTree(root, words, down), size),
  );
  if (flatten(visibleTree(index, { differencesOnly: true, folds })).some(differs)) return folds;
  const largest = rules.reduce<RuleView | null>(
    (most, rule) => (most && coveredRows(most) >= coveredRows(rule) ? most : rule),
    null,
  );
  const way = largest && focusFolds(index, { rules }, [largest.number]);
  if (!way) return folds;
  const root = visibleTree(index, { differencesOnly: true, folds: way });
  // A tree that grows down shows at least its mark.
  return down || showsDifference(layoutTree(root, words, down), size) ? way : folds;
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
  fits: (root: Box | null) => boolean,
): Map<string, boolean> {
  const drawn = (folds: ReadonlyMap<string, boolean>) =>
    visibleTree(index, { differencesOnly: true, folds });
  const root = drawn(new Map());
  if (fits(root)) return new Map();
  const largest = ({ node }: Box) =>
    node.rules.reduce(
      (most, number) => Math.max(most, rules[number] ? coveredRows(rules[number]) : 0),
      0,
    );

  let folds = new Map((root?.children ?? []).filter(opens).map((box) => [box.id, true]));
  const stuck = new Set<string>();
  for (let tries = 0; tries < TRIES; tries++) {
    const next = flatten(drawn(folds))
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
    const opened = flatten(drawn(more)).find((box) => box.id === next.id);
    for (const child of opened?.children ?? []) if (opens(child)) more.set(child.id, true);
    if (fits(drawn(more))) folds = more;
    else stuck.add(next.id);
  }
  return folds;
}

/** The height that the tree needs in a canvas of this size: all of it if it can be read there, else what is folded to fit. */
export function wantedHeight(
  index: TreeIndex,
  words: TextSource,
  size: Size,
  down: boolean,
): number {
  const folds = initialFolds(index, words, size, down);
  const root = visibleTree(index, { differencesOnly: true, folds });
  const { x0, y0, x1, y1 } = layoutTree(root, words, down).bounds;
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
