// Runs actions of buttons: which one is under way, its progress, its error, and how to cancel it.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Host } from "../host/host";
import { CANCELLED } from "../host/requests";
import type { ButtonWork, ProgressView } from "../protocol/types";
import { messageOf } from "../text/messageOf";

/** The kinds of work that a button starts. */
export type Action = ButtonWork;

/** A shorter message would only flicker. */
const SLOW_MS = 300;

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

/** Runs one action after another, and keeps their status. */
export function useActions(host: Host) {
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
      else if (host.state().kernel.unavailable === null) setError(messageOf(problem));
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
    slow: useSlow(busy),
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
    notify: setNotice,
  };
}
