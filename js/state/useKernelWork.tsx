// What Python is asked to do: how far it is, how to stop it, and what went wrong.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Busy } from "../app/Toolbar";
import type { Host } from "../host/host";
import { CANCELLED } from "../host/requests";
import type { KernelState } from "../host/store";
import type { Change } from "../protocol/types";
import { messageOf } from "../text/messageOf";
import { download } from "../ui/download";

const SLOW_MS = 300;
/** A hand on a slider moves on before this. */
const CHANGE_MS = 250;
const WORKING: Record<Busy, string> = {
  refine: "Refining…",
  undo: "Undoing…",
  change: "Comparing…",
  save: "Saving…",
};

/** Whether work takes so long that a word about it would not only flicker. */
function useSlow(busy: Busy | null): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    const timer = busy && setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer ?? undefined);
  }, [busy]);
  return slow;
}

/**
 * Options that were asked for, from the first move of a hand until the answer; one question for many
 * moves, and a later question in place of the one before.
 */
function useChange(ask: (options: Change, newer: AbortSignal) => Promise<unknown>) {
  const [wanted, setWanted] = useState<Change>({});
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const under = useRef<Change>({});
  const newer = useRef(new AbortController());
  useEffect(() => () => clearTimeout(timer.current), []);
  const drop = () => {
    clearTimeout(timer.current);
    under.current = {};
    setWanted({});
  };
  const change = (options: Change) => {
    const all = { ...under.current, ...options };
    under.current = all;
    setWanted(all);
    clearTimeout(timer.current);
    timer.current = setTimeout(async () => {
      newer.current.abort();
      newer.current = new AbortController();
      await ask(all, newer.current.signal);
      // a later move is on its way
      if (under.current !== all) return;
      under.current = {};
      setWanted({});
    }, CHANGE_MS);
  };
  return [wanted, change, drop] as const;
}

export type Asked = ReturnType<typeof useWork>;

export function useWork(host: Host) {
  const [busy, setBusy] = useState<Busy | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const [stopping, setStopping] = useState(false);
  const slow = useSlow(busy);
  /** Shows that work is under way, and its error. */
  const under = useRef(0);
  const stop = useRef(new AbortController());
  const during = async (kind: Busy, work: (signal: AbortSignal) => Promise<unknown>) => {
    under.current += 1;
    if (stop.current.signal.aborted) stop.current = new AbortController();
    const { signal } = stop.current;
    setBusy(kind);
    setError(null);
    setNotice(null);
    setStopping(false);
    try {
      await work(signal);
    } catch (problem) {
      if (signal.aborted) setNotice(CANCELLED);
      // of a kernel that is gone the status tells
      else if (host.state().kernel.off === null) setError(messageOf(problem));
    } finally {
      under.current -= 1;
      // another change may have been asked for meanwhile
      if (under.current === 0) setBusy(null);
    }
  };
  const save = (near: HTMLElement) =>
    during("save", async (signal) => {
      const { page } = await host.ask({ kind: "save" }, signal);
      download(page, "diff.html", near);
    });
  const [wanted, change, dropChange] = useChange((options, newer) =>
    during("change", async (signal) => {
      try {
        await host.ask({ kind: "change", options }, AbortSignal.any([signal, newer]));
      } catch (problem) {
        // of a change that a later one replaced nobody needs to hear
        if (!newer.aborted) throw problem;
      }
    }),
  );
  const ask = (kind: "refine" | "undo") => {
    dropChange();
    during(kind, (signal) => host.ask({ kind }, signal));
  };
  const cancel = () => {
    stop.current.abort();
    // it may have to wait for a cell
    setStopping(true);
  };
  const dismiss = () => setError(null);
  return { busy, slow, stopping, error, notice, wanted, change, ask, save, cancel, dismiss };
}

interface StatusProps {
  work: Asked;
  kernel: KernelState;
  /** What the last step changed. */
  change: string | null;
}

/** One line about the kernel, or about work under way, or about what it changed; and an error. */
export function Status({ work, kernel, change }: StatusProps) {
  const { busy, slow, stopping, error, notice } = work;
  return (
    <>
      <p class="imd-status" data-testid="imd-status" role="status" aria-live="polite">
        {kernel.off !== null ? (
          <b class="imd-lost">
            <span aria-hidden="true">⚠</span> {kernel.off}
          </b>
        ) : busy && slow ? (
          <>
            {kernel.busy ? "The kernel is busy: this waits until it is free." : WORKING[busy]}{" "}
            <button
              type="button"
              class="imd-text-button"
              data-testid="imd-cancel"
              aria-disabled={stopping}
              onClick={work.cancel}
            >
              {stopping ? "Cancelling…" : "Cancel"}
            </button>
          </>
        ) : (
          !busy && (notice ?? change)
        )}
      </p>
      {error !== null && (
        <div class="imd-error" data-testid="imd-error" role="alert">
          <span>{error}</span>
          <button type="button" aria-label="Dismiss" onClick={work.dismiss}>
            ×
          </button>
        </div>
      )}
    </>
  );
}
