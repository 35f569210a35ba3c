// One line about the kernel, about work under way or about what it changed; and an error.

import type { KernelState } from "../host/store";
import type { Action, KernelWork } from "../state/useKernelWork";
import { count } from "../text/format";
import { Button, TextButton } from "../ui/Button";
import { ErrorBox } from "../ui/ErrorBox";
import "./StatusLine.css";

const WORKING: Record<Action, string> = {
  refine: "Refining…",
  undo: "Undoing…",
  change: "Comparing…",
  save: "Saving…",
  csv: "Saving rows…",
  stability: "Measuring stability…",
  alternatives: "Comparing alternatives…",
  cohort: "Measuring the cohort…",
  growth: "Growing the tree again…",
  pair: "Comparing the two models…",
};

/** What one part of the work is called, where it is done in parts. */
const PARTS: Partial<Record<Action, string>> = {
  stability: "resample",
  alternatives: "fit",
  save: "pair",
};

/** What is under way: "Measuring stability: resample 7 of 20". */
function workingText({ busy, progress }: KernelWork): string {
  if (!busy) return "";
  if (!progress) return WORKING[busy];
  const part = `${PARTS[busy] ?? "part"} ${count(progress.done)} of ${count(progress.total)}`;
  return `${WORKING[busy].replace("…", "")}: ${part}`;
}

interface StatusLineProps {
  work: KernelWork;
  kernel: KernelState;
  /** What the last refinement step changed. */
  change: string | null;
}

export function StatusLine({ work, kernel, change }: StatusLineProps) {
  const { busy, slow, stopping, error, notice } = work;
  return (
    <>
      <p class="imd-status" data-testid="imd-status" role="status" aria-live="polite">
        {kernel.unavailable !== null ? (
          <b class="imd-lost">
            <span aria-hidden="true">⚠</span> {kernel.unavailable}
          </b>
        ) : busy && slow ? (
          <>
            {kernel.busy ? "The kernel is busy; waiting for it." : workingText(work)}{" "}
            <TextButton data-testid="imd-cancel" aria-disabled={stopping} onClick={work.cancel}>
              {stopping ? "Cancelling…" : "Cancel"}
            </TextButton>
          </>
        ) : (
          !busy && (notice ?? change)
        )}
      </p>
      {error !== null && (
        <ErrorBox id="imd-error" error={error}>
          <Button aria-label="Dismiss" onClick={work.dismiss}>
            ×
          </Button>
        </ErrorBox>
      )}
    </>
  );
}
