// The requests that buttons send to the kernel.

import { useRef } from "preact/hooks";
import type { Host } from "../host/host";
import type { Alternative, CsvRequest, GrowthStep } from "../protocol/types";
import { download } from "../ui/download";
import { type Action, useActions } from "./useActions";
import { useOptionChange } from "./useOptionChange";

export type { Action };

/** The error of work that later work replaced is of no interest. */
async function unlessReplaced(work: Promise<unknown>, replaced: AbortSignal): Promise<void> {
  try {
    await work;
  } catch (problem) {
    if (!replaced.aborted) throw problem;
  }
}

export type KernelWork = ReturnType<typeof useKernelWork>;

export function useKernelWork(host: Host) {
  const { run, setProgress, ...actions } = useActions(host);
  const { wanted, change, discard } = useOptionChange((options, replaced) =>
    run("change", (signal) =>
      unlessReplaced(
        host.ask({ kind: "change", options }, AbortSignal.any([signal, replaced])),
        replaced,
      ),
    ),
  );
  const ask = (kind: "refine" | "undo") => {
    discard();
    run(kind, (signal) => host.ask({ kind }, signal));
  };
  const save = (name: string, near: HTMLElement) =>
    run("save", async (signal) => {
      const { page } = await host.ask({ kind: "save" }, signal, setProgress);
      download(page, name, "text/html", near);
    });
  const opening = useRef(new AbortController());
  /** Shows the diff of another pair of models; it replaces a pair that is still asked for. */
  const openPair = (pair: [number, number]) => {
    opening.current.abort();
    opening.current = new AbortController();
    const { signal } = opening.current;
    const ask = (stopped: AbortSignal) =>
      host.ask({ kind: "pair", pair }, AbortSignal.any([stopped, signal]));
    return run("pair", (stopped) => unlessReplaced(ask(stopped), signal));
  };
  /** Saves the rows of a selection, in the order in which they are listed. */
  const saveRows = (rows: Omit<CsvRequest, "kind">, near: HTMLElement) =>
    run("csv", async (signal) => {
      const { csv } = await host.ask({ kind: "csv", ...rows }, signal);
      download(csv, "rows.csv", "text/csv", near);
    });
  /** Passes on how the tree grows. */
  const grow = (onSteps: (steps: GrowthStep[]) => void) =>
    run("growth", async (signal) => onSteps((await host.ask({ kind: "growth" }, signal)).steps));
  const measureStability = () =>
    run("stability", (signal) => host.ask({ kind: "stability" }, signal, setProgress));
  /** Passes on what else rules may use, and how much they then explain. */
  const compareAlternatives = (onFound: (found: Alternative[]) => void) =>
    run("alternatives", async (signal) => {
      const { alternatives } = await host.ask({ kind: "alternatives" }, signal, setProgress);
      onFound(alternatives);
    });
  return {
    ...actions,
    wanted,
    change,
    ask,
    save,
    openPair,
    saveRows,
    measureStability,
    compareAlternatives,
    grow,
  };
}
