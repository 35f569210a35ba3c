// Which boxes the camera goes to. They are unfolded in the same draw: the camera can only go to a box that has a place.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { endsOf } from "../tree/focus";
import type { TreeControls } from "../tree/useCamera";
import { pathTo } from "../tree/visible";
import type { Diff } from "./context";
import type { Folds } from "./useFolds";

/** Boxes that the camera goes to, a new object each time that it has to move. */
export interface Reveal {
  /** Ids of the boxes to bring into view. */
  ids: readonly string[];
  /** Ids of the boxes on the way to them, if the camera has to show as much of it as can be read. */
  path: readonly string[] | null;
}
const NOTHING: Reveal = { ids: [], path: null };

/** Calls back when there is another tree, or another way to draw it, which is then folded to fit again. */
function useNewTree({ state, view }: Diff, autoFold: () => boolean, folded: () => void) {
  const looks = `${state.differences_only} ${state.orientation}`;
  const before = useRef<{ view: unknown; looks: string } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `folded` is another function at each draw, and does the same
  useLayoutEffect(() => {
    const last = before.current;
    if (last?.view === view && last.looks === looks) return;
    before.current = { view, looks };
    if (last && autoFold()) folded();
  }, [view, looks, autoFold]);
}

export function useReveal(
  diff: Diff,
  rules: readonly number[],
  { open, autoFold }: Folds,
  controls: RefObject<TreeControls>,
): Reveal {
  const { host, state, view, index } = diff;
  const { selected_rules, selected_node, traced } = state;
  const [reveal, setReveal] = useState(NOTHING);

  useNewTree(diff, autoFold, () =>
    requestAnimationFrame(() => {
      // What is selected stays in view.
      if (rules.length > 0 || selected_node || traced) setReveal((shown) => ({ ...shown }));
      else controls.current?.home();
    }),
  );

  const shownRules = useRef({ rules: "", view });
  useLayoutEffect(() => {
    const { rules: last, view: of } = shownRules.current;
    const now = selected_rules.join();
    if (last === now && (of === view || now === "")) return;
    shownRules.current = { rules: now, view };
    const chosen = rules.flatMap((number) => view.rules[number] ?? []);
    const latest = chosen[chosen.length - 1];
    if (latest)
      setReveal({
        ids: [latest.node, ...endsOf(latest).slice(0, 2)],
        path: chosen.flatMap((rule) => endsOf(rule).flatMap((id) => pathTo(index, id))),
      });
    // Without a rule the tree is as before, and so is the camera; a node that is selected instead is revealed below.
    else if (!host.state().selected_node) {
      setReveal(NOTHING);
      requestAnimationFrame(() => controls.current?.home());
    }
  }, [host, controls, index, view, rules, selected_rules]);

  // A node that Python selects may be folded away; one that was clicked is in view already.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a later fold or view must not open the path again, only another selection does
  useLayoutEffect(() => {
    if (!selected_node || !index.byId.has(selected_node)) return;
    open(pathTo(index, selected_node).slice(0, -1));
    setReveal({ ids: [selected_node], path: null });
  }, [selected_node]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a later fold must not be undone, only another row opens anything
  useLayoutEffect(() => {
    if (!traced) return;
    open(traced.nodes);
    // The row ends at the nodes that no other node of its path lies below: ids are paths.
    const { nodes } = traced;
    const ends = nodes.filter((id) => !nodes.some((other) => other !== id && other.startsWith(id)));
    setReveal({ ids: ends, path: null });
  }, [traced]);

  return reveal;
}
