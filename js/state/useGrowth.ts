// The growth of the tree, step by step: what is shown while it is played, and how to move in it.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { GrowthStep } from "../protocol/types";
import { grownTree, pathTo } from "../tree/visible";
import { type Diff, useWidget } from "./context";
import type { Folds } from "./useFolds";
import type { Reveal } from "./useReveal";

export interface Growth {
  steps: GrowthStep[];
  /** The place of the present step. */
  at: number;
  playing: boolean;
  /** Drawn in place of the folds: all that has grown; the camera goes to the present node. */
  folds: Pick<Folds, "root" | "autoFolded" | "focused">;
  reveal: Reveal;
  /** Shows a step, and goes on by itself or not. */
  go(at: number, playing: boolean): void;
  stop(): void;
}

/** How long a step is shown while the tree grows by itself. */
const STEP_MS = 1600;

/** `growth` is null while the tree is drawn as it is. */
export function useGrowth({ view, index }: Diff): { growth: Growth | null; start: () => void } {
  const { work, controls } = useWidget();
  const [shown, setShown] = useState<
    (Pick<Growth, "steps" | "at" | "playing"> & { of: unknown }) | null
  >(null);
  const growth = shown?.of === view ? shown : null;
  const drawn = useMemo(() => {
    if (!growth || !index.root) return null;
    const nodes = growth.steps.slice(0, growth.at + 1).map(({ node }) => node);
    const root = grownTree(index, index.root, new Set(nodes));
    return {
      folds: { root, autoFolded: 0, focused: false },
      reveal: { ids: nodes.slice(-1), path: pathTo(index, nodes.at(-1) ?? "") },
    };
  }, [growth, index]);
  useEffect(() => {
    if (!growth?.playing) return;
    const timer = setTimeout(() => {
      const at = growth.at + 1;
      setShown({ ...growth, at, playing: at < growth.steps.length - 1 });
    }, STEP_MS);
    return () => clearTimeout(timer);
  }, [growth]);
  const stop = () => {
    setShown(null);
    requestAnimationFrame(() => controls.current?.home());
  };
  const go = (at: number, playing: boolean) => growth && setShown({ ...growth, at, playing });
  const start = () =>
    void work.grow((steps) => {
      if (steps.length > 0) setShown({ steps, at: 0, playing: false, of: view });
    });
  return { growth: growth && drawn && { ...growth, ...drawn, go, stop }, start };
}
