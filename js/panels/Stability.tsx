// How often rules are found again in resamples of the rows: the button that asks, and the line of a card.

import { offFor } from "../host/host";
import type { RuleView, StabilityView } from "../protocol/types";
import { useDiff } from "../state/context";
import type { KernelWork } from "../state/useKernelWork";
import { count } from "../text/format";
import { ActionButton } from "../ui/ActionButton";
import "./Stability.css";

const TITLE = "Look for each rule again in 20 resamples of the rows: does it hang on single rows?";

export function StabilityButton({ work }: { work: KernelWork }) {
  const { state, view } = useDiff();
  if (!view.rules.some(({ agrees }) => !agrees)) return null;
  const busy = work.busy === "stability";
  const measured = state.stability && "Measured: each card says how often its rule is found again";
  return (
    <ActionButton
      id="imd-stability"
      off={offFor(state, "stability") ?? (work.busy ? "Working…" : measured)}
      busy={busy}
      title={TITLE}
      onClick={work.measureStability}
    >
      {busy ? "Measuring…" : "How stable?"}
    </ActionButton>
  );
}

/** "found again in 16 of 20 resamples, overlap 0.71"; marked if it is not in half of them. */
export function StabilityLine({ rule, stability }: { rule: RuleView; stability: StabilityView }) {
  const found = stability.found[rule.number];
  const overlap = stability.overlap[rule.number];
  if (rule.agrees || found === undefined || overlap === undefined) return null;
  const shaky = found < stability.n / 2;
  const text = `ound again in ${shaky ? "only " : ""}${count(found)} of ${count(stability.n)} resamples, overlap ${overlap.toFixed(2)}`;
  return (
    <p
      class={shaky ? "imd-stability is-shaky" : "imd-stability"}
      data-testid="imd-found"
      title="Overlap: mean share of rows in common with the most similar rule of a resample"
    >
      {shaky ? (
        <>
          <span aria-hidden="true">⚠</span> Not stable: f{text}
        </>
      ) : (
        `F${text}`
      )}
    </p>
  );
}
