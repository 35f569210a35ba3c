// Work of the kernel that a button starts: what is under way, how to cancel it, and its error.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Host } from "../host/host";
import { CANCELLED } from "../host/requests";
import type { ButtonWork, Change, CsvRequest, ProgressView } from "../protocol/types";
import { messageOf } from "../text/messageOf";
import { download } from "../ui/download";

/** The kinds of work that a button starts. */
export type Action = ButtonWork;

/** Before this a word about work would only flicker. */
const SLOW_MS = 300;
/** A slider that is being moved changes again before this. */
const CHANGE_MS = 250;

/** Whether work has taken so long that it has to be announced. */
function useSlow(action: Action | null): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    const timer = action && setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer ?? undefined);
  }, [action]);
  return slow;
}

/** The error of work that later work replaced is of no interest. */
async function unlessReplaced(work: Promise<unknown>, replaced: AbortSignal): Promise<void> {
  try {
    await work;
  } catch (problem) {
    if (!replaced.aborted) throw problem;
  }
}

/**
 * The options that the user wants, from the first move of a control until the answer. Many moves make
 * one request, and a later request replaces the one before it.
 */
function useOptionChange(ask: (options: Change, replaced: AbortSignal) => Promise<unknown>) {
  const [wanted, setWanted] = useState<Change>({});
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const pending = useRef<Change>({});
  const replaced = useRef(new AbortController());
  useEffect(() => () => clearTimeout(timer.current), []);
  const want = (options: Change) => {
    pending.current = options;
    setWanted(options);
    clearTimeout(timer.current);
  };
  const change = (options: Change) => {
    const all = { ...pending.current, ...options };
    want(all);
    timer.current = setTimeout(async () => {
      replaced.current.abort();
      replaced.current = new AbortController();
      await ask(all, replaced.current.signal);
      // Otherwise a later move is waiting for its turn.
      if (pending.current === all) want({});
    }, CHANGE_MS);
  };
  return { wanted, change, discard: () => want({}) };
}

/** Runs one action after another, and holds what is to be said about them. */
function useActions(host: Host) {
  const [busy, setBusy] = useState<Action | null>(null);
  const [about, setAbout] = useState<Action | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const [stopping, setStopping] = useState(false);
  const [progress, setProgress] = useState<ProgressView | null>(null);
  const running = useRef(0);
  const stop = useRef(new AbortController());
  const run = async (action: Action, work: (signal: AbortSignal) => Promise<unknown>) => {
    running.current += 1;
    if (stop.current.signal.aborted) stop.current = new AbortController();
    const { signal } = stop.current;
    setBusy(action);
    setAbout(action);
    setError(null);
    setNotice(null);
    setStopping(false);
    setProgress(null);
    try {
      await work(signal);
    } catch (problem) {
      if (signal.aborted) setNotice(CANCELLED);
      // If the kernel is gone, the status line says so already.
      else if (host.state().kernel.off === null) setError(messageOf(problem));
    } finally {
      running.current -= 1;
      // Another change may have been asked for meanwhile.
      if (running.current === 0) setBusy(null);
    }
  };
  const cancel = () => {
    stop.current.abort();
    // Cancelling may have to wait for a cell.
    setStopping(true);
  };
  const dismiss = () => setError(null);
  return {
    busy,
    /** The action that `error` and `notice` are about. */
    about,
    error,
    notice,
    stopping,
    progress,
    setProgress,
    run,
    cancel,
    dismiss,
    say: setNotice,
  };
}

export type KernelWork = ReturnType<typeof useKernelWork>;

export function useKernelWork(host: Host) {
  const { run, setProgress, ...actions } = useActions(host);
  const slow = useSlow(actions.busy);
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
  const measureStability = () =>
    run("stability", (signal) => host.ask({ kind: "stability" }, signal, setProgress));
  return { ...actions, slow, wanted, change, ask, save, openPair, saveRows, measureStability };
}
