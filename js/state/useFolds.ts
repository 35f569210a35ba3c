// What is folded: by the user (a trait, so that Python sees it), and automatically so that the first view can be read.

import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import type { Size } from "../tree/camera";
import type { Words } from "../tree/content";
import { initialFolds } from "../tree/initialFolds";
import { type Box, flatten, litByRules, visibleTree } from "../tree/visible";
import type { Diff } from "./context";

export interface Folds {
  /** What is drawn; null if there is no tree. */
  root: Box | null;
  /** The number of boxes that are folded automatically; 0 once the user has folded or unfolded one. */
  autoFolded: number;
  /** Folds what does not fit into the room; returns whether that folded anything. */
  fitInto(words: Words, size: Size): boolean;
  /** Folds again for the room that is known; returns whether there is one. */
  autoFold(): boolean;
  /** Unfolds those of the given boxes that are folded. */
  open(ids: Iterable<string>): void;
  toggle(id: string): void;
  unfoldAll(): void;
}

type FoldMap = ReadonlyMap<string, boolean>;

/** What is folded automatically, and the room that it was folded for. */
function useAutoFolds({ host, state, view, index }: Diff) {
  const [autoFolds, setAutoFolds] = useState<FoldMap>(new Map());
  const room = useRef<{ words: Words; size: Size } | null>(null);
  const differencesOnly = state.differences_only;
  const down = state.orientation === "down";
  const fold = useCallback(() => {
    if (!room.current) return 0;
    const { size } = room.current;
    const { names, outputs, rules } = view;
    const words = { ...room.current.words, names, outputs, rules };
    const folds = differencesOnly ? initialFolds(index, words, size, down) : new Map();
    // What is selected or traced stays visible.
    const { selected_rules, traced } = host.state();
    for (const id of litByRules(index, view, selected_rules) ?? []) folds.delete(id);
    for (const id of traced?.nodes ?? []) folds.delete(id);
    setAutoFolds(folds);
    return folds.size;
  }, [host, index, view, differencesOnly, down]);
  return { autoFolds, setAutoFolds, room, fold };
}

export function useFolds(diff: Diff): Folds {
  const { host, state, index } = diff;
  const { autoFolds, setAutoFolds, room, fold } = useAutoFolds(diff);
  const differencesOnly = state.differences_only;
  // The user's folds take precedence.
  const folds = useMemo(
    () => new Map([...autoFolds, ...Object.entries(state.folds)]),
    [autoFolds, state.folds],
  );
  const root = useMemo(
    () => visibleTree(index, { differencesOnly, folds }),
    [index, differencesOnly, folds],
  );
  const folded = useMemo(
    () => new Set(flatten(root).flatMap((box) => (box.folded ? box.id : []))),
    [root],
  );

  const fitInto = useCallback(
    (words: Words, size: Size) => {
      room.current = { words, size };
      return fold() > 0;
    },
    [room, fold],
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
  const unfoldAll = useCallback(() => {
    setAutoFolds(new Map());
    host.set({ folds: {} });
  }, [host, setAutoFolds]);
  const autoFolded = Object.keys(state.folds).length > 0 ? 0 : autoFolds.size;
  return { root, autoFolded, fitInto, autoFold, open, toggle, unfoldAll };
}
