// What is open and folded while rules are selected: the way to them, and all that leads elsewhere.

import type { DiffView, RuleView } from "../protocol/types";
import { pathTo, type TreeIndex } from "./visible";

/** Ids of the nodes at which a rule is drawn: nodes that are the rule as a whole, else its leaves. */
export function endsOf({ nodes, leaves }: RuleView): readonly string[] {
  return nodes.length > 0 ? nodes : leaves.flat();
}

/** Folds (true) and unfolds (false) by id, so that the rules with these numbers, and no other, are open; null for none. */
export function focusFolds(
  index: TreeIndex,
  { rules }: Pick<DiffView, "rules">,
  numbers: readonly number[],
): Map<string, boolean> | null {
  const ends = new Set(
    numbers.flatMap((number) => (rules[number] ? [...endsOf(rules[number])] : [])),
  );
  if (ends.size === 0) return null;
  const path = new Set([...ends].flatMap((id) => pathTo(index, id)));
  const folds = new Map<string, boolean>();
  for (const id of path) {
    // What is the rule as a whole is one mark.
    if (ends.has(id)) {
      if (index.children.has(id)) folds.set(id, true);
      continue;
    }
    folds.set(id, false);
    for (const child of index.children.get(id) ?? [])
      if (!path.has(child.id) && index.children.has(child.id)) folds.set(child.id, true);
  }
  return folds;
}
