// How often rules are found again in resamples of the rows: the button, and the line of a card.

import { unavailableReason } from "../host/host";
import type { RuleView, Stability } from "../protocol/types";
import { useDiff, useWidget } from "../state/context";
import { count } from "../text/format";
import { ActionButton } from "../ui/ActionButton";
import "./Stability.css";

const TITLE = "Check in 20 resamples of the rows whether each rule is found again";

export function StabilityButton() {
  const { state, view } = useDiff();
  const { work } = useWidget();
  if (!view.rules.some(({ agrees }) => !agrees)) return null;
  const busy = work.busy === "stability";
  const measured = state.stability && "Done: each card shows how often its rule was found again";
  return (
    <ActionButton
      id="imd-stability"
      disabledReason={unavailableReason(state, "stability") ?? (work.busy ? "Working…" : measured)}
      busy={busy}
      title={TITLE}
      onClick={work.measureStability}
    >
      {busy ? "Measuring…" : "Check stability"}
    </ActionButton>
  );
}

/** "found again in 16 of 20 resamples, overlap 0.71"; marked if it is not in half of them. */
export function StabilityLine({ rule, stability }: { rule: RuleView; stability: Stability }) {
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
