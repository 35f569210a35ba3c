// The height of a widget for which the user gave none: as high as the tree and the list of rules need, within limits.

import type { RefObject } from "preact";
import { useCallback, useRef, useState } from "preact/hooks";

/** Before anything is known of the content. */
export const USUAL = 560;
const LOWEST = 440;
const LOWEST_NARROW = 300;
const HIGHEST = 720;
/** Share of the window that a widget takes at most. */
const OF_WINDOW = 0.8;
/** A widget that is not as wide as this has its panel below the tree, as in App.css. */
const NARROW = 720;
/** Share of the height that the tree and its legend have there. */
const TREE_SHARE = 0.75;

/**
 * Makes the widget higher by the pixels that the tree lacks, or lower; once, and only if the user gave
 * no height. In a narrow widget the tree takes what it needs, up to that height. It is called with a function of the most that the tree may grow by. Returns by how much the
 * room of the tree grows.
 */
export type FitHeight = (lacking: (most: number) => number) => number;

/** How many pixels the list of rules lacks; negative if it needs less than it has. */
function lackingInList(el: HTMLElement): number {
  const list = el.querySelector<HTMLElement>(".imd-scroll");
  const last = list?.lastElementChild as HTMLElement | null;
  if (!list || !last) return 0;
  const end = last.getBoundingClientRect().bottom - list.getBoundingClientRect().top;
  return end + 16 - list.clientHeight;
}

export interface FittedHeight {
  height: number;
  /** The height of which a narrow widget gives its share to the tree. */
  narrow: number;
  fit: FitHeight;
}

export function useFittedHeight(
  ref: RefObject<HTMLElement>,
  given: number | null,
  fixed: boolean,
): FittedHeight {
  const [fitted, setFitted] = useState<{ height: number; given: number | null } | null>(null);
  const done = useRef(false);
  const fit: FitHeight = useCallback(
    (lacking) => {
      const el = ref.current;
      const narrow = (el?.clientWidth ?? 0) < NARROW;
      if (!el || done.current || (given !== null && !narrow) || fixed) return 0;
      done.current = true;
      const share = narrow ? TREE_SHARE : 1;
      const window = el.ownerDocument.defaultView?.innerHeight ?? USUAL;
      const before = given ?? USUAL;
      const most = given ?? Math.max(USUAL, Math.min(HIGHEST, OF_WINDOW * window));
      const highest = most / share;
      const inTree = lacking((highest - before) * share) / share;
      const wanted = before + (narrow ? inTree : Math.max(inTree, lackingInList(el)));
      const lowest = narrow ? LOWEST_NARROW : LOWEST;
      const next = Math.round(Math.min(highest, Math.max(lowest, wanted)));
      setFitted({ height: next, given });
      return (next - before) * share;
    },
    [ref, given, fixed],
  );
  // another height that the user gives takes precedence
  const known = fitted?.given === given ? fitted.height : null;
  const height = given ?? known ?? USUAL;
  return { height, narrow: known ?? height, fit };
}
