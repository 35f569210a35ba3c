// Which boxes the camera goes to. They are unfolded in the same draw: the camera can only go to a box that has a place.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RuleView } from "../protocol/types";
import type { TreeControls } from "../tree/useCamera";
import { litByRules, pathTo } from "../tree/visible";
import type { Diff } from "./context";
import type { Folds } from "./useFolds";

/** The boxes of a rule that are drawn: whole nodes, else the first of its pairs of leaves. */
function boxesOf(rule: RuleView): readonly string[] {
  const drawn = rule.nodes.length > 0 ? rule.nodes : rule.leaves[0];
  return [rule.node, ...(drawn ?? [])];
}

/** Calls back when options make another tree, which is looked at from the start; a refined tree is not another one. */
function useNewTree({ state, view }: Diff, autoFold: () => boolean, folded: () => void) {
  const { max_depth, sensitivity } = view.options;
  const options = `${max_depth} ${sensitivity} ${state.differences_only} ${state.orientation}`;
  const before = useRef("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: `folded` is another function at each draw, and does the same
  useLayoutEffect(() => {
    const first = before.current === "";
    if (before.current === options) return;
    before.current = options;
    if (!first && autoFold()) folded();
  }, [options, autoFold]);
}

/** Ids of the boxes to bring into view; a new list each time that the camera has to move. */
export function useReveal(
  diff: Diff,
  rules: readonly number[],
  { open, autoFold }: Folds,
  controls: RefObject<TreeControls>,
): readonly string[] {
  const { state, view, index } = diff;
  const { selected_rules, selected_node, traced } = state;
  const [reveal, setReveal] = useState<readonly string[]>([]);

  useNewTree(diff, autoFold, () =>
    requestAnimationFrame(() => {
      controls.current?.home();
      // What is selected stays in view.
      setReveal((shown) => [...shown]);
    }),
  );

  const shownRules = useRef<readonly number[]>([]);
  useLayoutEffect(() => {
    if (shownRules.current.join() === selected_rules.join()) return;
    shownRules.current = selected_rules;
    open(litByRules(index, view, rules) ?? []);
    const rule = view.rules[rules[rules.length - 1] ?? -1];
    setReveal(rule ? boxesOf(rule) : []);
  }, [index, view, rules, selected_rules, open]);

  // A node that Python selects may be folded away; one that was clicked is in view already.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a later fold or view must not open the path again, only another selection does
  useLayoutEffect(() => {
    if (!selected_node || !index.byId.has(selected_node)) return;
    open(pathTo(index, selected_node).slice(0, -1));
    setReveal([selected_node]);
  }, [selected_node]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a later fold must not be undone, only another row opens anything
  useLayoutEffect(() => {
    if (!traced) return;
    open(traced.nodes);
    // The row ends at the nodes that no other node of its path lies below: ids are paths.
    const { nodes } = traced;
    setReveal(nodes.filter((id) => !nodes.some((other) => other !== id && other.startsWith(id))));
  }, [traced]);

  return reveal;
}
