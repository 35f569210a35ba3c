// What is folded: by the user (a trait, so that Python sees it), automatically so that the first view can be read, and for
// selected rules, so that the way to them can be.

import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import { growsDown, type Size, scaleToFit } from "../tree/camera";
import type { TextSource } from "../tree/content";
import { focusFolds } from "../tree/focus";
import { firstView, wantedHeight } from "../tree/initialFolds";
import { layoutTree } from "../tree/layout";
import { type Box, flatten, visibleTree } from "../tree/visible";
import type { Diff } from "./context";
import type { FitHeight } from "./useFittedHeight";

export interface Folds {
  /** What is drawn; null if there is no tree. */
  root: Box | null;
  /** The number of boxes that are folded automatically; 0 once the user has folded or unfolded one. */
  autoFolded: number;
  /** Whether what does not lead to the selected rules is folded. */
  focused: boolean;
  /** Whether the tree grows down. */
  down: boolean;
  /** Folds what does not fit into the room; returns whether that folded anything. */
  fitInto(words: TextSource, size: Size): boolean;
  /** Folds again for the room that is known; returns whether there is one. */
  autoFold(): boolean;
  /** Unfolds those of the given boxes that are folded. */
  open(ids: Iterable<string>): void;
  toggle(id: string): void;
  unfoldAll(): void;
}

type FoldMap = ReadonlyMap<string, boolean>;

/** A message above the tree, such as that of a refinement, must not push a box out of view. */
const STATUS_LINE = 28;

/** What is folded automatically, and the room that it was folded for. */
function useAutoFolds({ host, state, view, index }: Diff, fitHeight: FitHeight) {
  const [autoFolds, setAutoFolds] = useState<FoldMap>(new Map());
  const room = useRef<{ words: TextSource; size: Size } | null>(null);
  const differencesOnly = state.differences_only;
  const wanted = state.orientation === "down";
  const [down, setDown] = useState(wanted);
  /** A tree keeps its direction until the room or the wish is another one. */
  const decided = useRef<{ size: Size; wanted: boolean; down: boolean } | null>(null);
  const fold = useCallback(() => {
    if (!room.current) return 0;
    const { size } = room.current;
    const fitting = { ...size, height: size.height - STATUS_LINE };
    const { names, outputs, rules } = view;
    const words = { ...room.current.words, names, outputs, rules };
    const { current: last } = decided;
    const kept = last?.size === size && last.wanted === wanted;
    const directions = kept ? [last.down] : directionsIn(wanted, size);
    const first = firstView(index, words, fitting, directions);
    decided.current = { size, wanted, down: first.down };
    const folds = differencesOnly ? first.folds : new Map<string, boolean>();
    // What is traced stays visible.
    for (const id of host.state().traced?.nodes ?? []) folds.delete(id);
    setDown(first.down);
    setAutoFolds(folds);
    return folds.size;
  }, [host, index, view, differencesOnly, wanted]);
  /** Takes the room of the canvas, or more if the widget may be higher. */
  const settle = useCallback(
    (words: TextSource, size: Size) => {
      const more = fitHeight((most) => {
        const highest = { ...size, height: size.height + most - STATUS_LINE };
        const needed = wantedHeight(index, words, highest, directionsIn(wanted, size));
        return needed + STATUS_LINE - size.height;
      });
      room.current = { words, size: { ...size, height: size.height + more } };
    },
    [index, wanted, fitHeight],
  );
  /** Folds nothing, in the direction in which the whole tree is drawn larger. */
  const unfold = () => {
    setAutoFolds(new Map());
    if (!room.current) return;
    const { words, size } = room.current;
    const root = visibleTree(index, { differencesOnly, folds: new Map() });
    const scale = (down: boolean) => scaleToFit(layoutTree(root, words, down).bounds, size);
    const [first = false, ...others] = directionsIn(wanted, size);
    setDown(others.reduce((best, other) => (scale(other) > scale(best) ? other : best), first));
  };
  return { autoFolds, unfold, room, fold, settle, down };
}

/** The directions in which the tree may grow, true for down: to the right if there is room. */
const directionsIn = (wanted: boolean, size: Size) =>
  growsDown(wanted, size) ? [true] : [false, true];

/** The folds for the selected rules, and what the user had folded when they were selected. */
function useFocus({ state, view, index }: Diff, rules: readonly number[]) {
  const key = rules.join();
  const [dropped, setDropped] = useState("");
  const before = useRef({ key: "", folds: state.folds });
  if (before.current.key !== key) before.current = { key, folds: state.folds };
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for `rules`, which may be a new list of the same numbers
  const focus = useMemo(
    () => (key === dropped ? null : focusFolds(index, view, rules)),
    [index, view, key, dropped],
  );
  return { focus, held: before.current.folds, drop: () => setDropped(key) };
}

export function useFolds(diff: Diff, rules: readonly number[], fitHeight: FitHeight): Folds {
  const { host, state, index } = diff;
  const { autoFolds, unfold, room, fold, settle, down } = useAutoFolds(diff, fitHeight);
  const { focus, held, drop } = useFocus(diff, rules);
  const differencesOnly = state.differences_only;
  // What the user folds after a rule was selected takes precedence, what was folded before gives way to it.
  const folds = useMemo(() => {
    const own = Object.entries(state.folds);
    if (!focus) return new Map([...autoFolds, ...own]);
    const later = own.filter(([id, folded]) => held[id] !== folded);
    return new Map([...autoFolds, ...Object.entries(held), ...focus, ...later]);
  }, [autoFolds, focus, held, state.folds]);
  const root = useMemo(
    () => visibleTree(index, { differencesOnly, folds }),
    [index, differencesOnly, folds],
  );
  const folded = useMemo(
    () => new Set(flatten(root).flatMap((box) => (box.folded ? box.id : []))),
    [root],
  );

  const fitInto = useCallback(
    (words: TextSource, size: Size) => {
      settle(words, size);
      return fold() > 0;
    },
    [settle, fold],
  );
  const autoFold = useCallback(() => {
    fold();
    return room.current !== null;
  }, [room, fold]);
  const open = useCallback(
    (ids: Iterable<string>) => {
      const closed = [...ids].filter((id) => folds.get(id));
      const opened = Object.fromEntries(closed.map((id) => [id, false]));
      if (closed.length > 0) host.set({ folds: { ...host.state().folds, ...opened } });
    },
    [host, folds],
  );
  const toggle = useCallback(
    (id: string) => host.set({ folds: { ...host.state().folds, [id]: !folded.has(id) } }),
    [host, folded],
  );
  const unfoldAll = () => {
    unfold();
    drop();
    host.set({ folds: {} });
  };
  const autoFolded = focus || Object.keys(state.folds).length > 0 ? 0 : autoFolds.size;
  const focused = focus !== null;
  return { root, autoFolded, focused, down, fitInto, autoFold, open, toggle, unfoldAll };
}
