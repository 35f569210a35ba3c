// What is unfolded at the first view: as many differences as can be read at once, the largest first.

import { fitsReadably, type Size } from "./camera";
import type { Words } from "./content";
import { layoutTree } from "./layout";
import { differs, flatten, type TreeIndex, visibleTree } from "./visible";

/** Each try lays the tree out once: a limit keeps the first view of a huge tree quick. */
const TRIES = 12;

/** Or-nodes to fold so that the tree fits; an empty map when all of it does. */
export function firstFolds(index: TreeIndex, words: Words, size: Size): Map<string, boolean> {
  const whole = visibleTree(index, { differencesOnly: true, folds: new Map() });
  const fits = (folds: ReadonlyMap<string, boolean>) =>
    fitsReadably(layoutTree(visibleTree(index, { differencesOnly: true, folds }), words), size);
  if (fits(new Map())) return new Map();

  const parting = flatten(whole)
    .filter((box) => box.node.kind === "or" && box.kind === "or" && differs(box))
    .sort((a, b) => b.node.differing - a.node.differing);
  let folds = new Map(parting.map((box) => [box.id, true]));
  if (!fits(folds)) return folds;
  for (const box of parting.slice(0, TRIES)) {
    const fewer = new Map(folds);
    fewer.delete(box.id);
    if (fits(fewer)) folds = fewer;
  }
  return folds;
}
