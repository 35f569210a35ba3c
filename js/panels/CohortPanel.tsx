// Cohorts of the user's own, beside the rules: a condition is typed, the kernel measures it.

import { useState } from "preact/hooks";
import { unavailableReason } from "../host/host";
import type { CohortView, DiffView } from "../protocol/types";
import { useDiff } from "../state/context";
import type { Cohorts } from "../state/useCohorts";
import { usePanelState } from "../state/usePanelState";
import { count, intervalSentence, percent, wideInterval } from "../text/format";
import { Button } from "../ui/Button";
import { ErrorBox } from "../ui/ErrorBox";
import { Figure } from "../ui/Figure";
import { Right } from "./Right";
import "./CohortPanel.css";

const EXAMPLE = "age < 30 and job == 'nurse'";

/** The field below the list: it stays in view however many rules there are. */
export function CohortField({ cohorts }: { cohorts: Cohorts }) {
  const { state, uid } = useDiff();
  const { busy, error, add, dismiss } = cohorts;
  const disabledReason = unavailableReason(state, "cohort");
  const [text, setText] = usePanelState("cohort", "");
  const [sent, setSent] = useState(false);
  const enter = async () => {
    const condition = text.trim();
    if (disabledReason !== null || condition === "" || sent) return;
    setSent(true);
    // The text stays until it is valid.
    if (await add(condition)) setText("");
    setSent(false);
  };
  return (
    <div class="imd-cohorts">
      {error !== null && (
        <ErrorBox id="imd-cohort-error" error={error}>
          <Button aria-label="Dismiss" onClick={dismiss}>
            ×
          </Button>
        </ErrorBox>
      )}
      <label title={disabledReason ?? "A DataFrame.query expression; press Enter to measure it"}>
        <span>Your cohort</span>
        <input
          type="text"
          data-testid="imd-cohort"
          value={text}
          placeholder={disabledReason === null ? EXAMPLE : ""}
          spellcheck={false}
          autocomplete="off"
          readOnly={disabledReason !== null}
          aria-disabled={disabledReason !== null}
          aria-busy={busy}
          aria-describedby={disabledReason === null ? undefined : `${uid}-no-cohort`}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && enter()}
        />
        <span role="status" id={`${uid}-no-cohort`}>
          {busy ? "Measuring…" : disabledReason}
        </span>
      </label>
    </div>
  );
}

/** Cohorts above the rules, the last one first. */
export function CohortCards({ cohorts: { cohorts, remove } }: { cohorts: Cohorts }) {
  const { view } = useDiff();
  if (cohorts.length === 0) return null;
  return (
    <ul class="imd-cards imd-own" aria-label="Your cohorts">
      {cohorts.map((cohort) => (
        <CohortCard
          key={cohort.condition}
          cohort={cohort}
          view={view}
          onRemove={() => remove(cohort.condition)}
        />
      ))}
    </ul>
  );
}

interface CohortCardProps {
  cohort: CohortView;
  view: DiffView;
  onRemove: () => void;
}

function CohortCard({ cohort, view, onRemove }: CohortCardProps) {
  const { condition, rows, differing, rate, interval, outside_rate, coverage, right } = cohort;
  const outcomes = cohort.outcomes.map(
    ({ said: [one, two], share }) => `${percent(share)} ${one} → ${two}`,
  );
  return (
    <li class="imd-card imd-cohort" data-cohort={condition}>
      <p class="imd-cohort-head">
        <span>
          Your cohort: <code>{condition}</code>
        </span>
        <Button aria-label={`Remove the cohort ${condition}`} title="Remove" onClick={onRemove}>
          ×
        </Button>
      </p>
      <dl class="imd-figures">
        <Figure name="rows" value={count(rows)} title="Rows of the table that match" />
        <Figure
          name="differ"
          value={percent(rate)}
          detail={rows > 0 ? `${count(differing)} of ${count(rows)}` : "no rows"}
          range={rows > 0 ? wideInterval(interval) : null}
          share={rate}
          title={`Share of its rows on which the models differ. ${intervalSentence(interval)}`}
        />
        <Figure
          name="outside"
          value={percent(outside_rate)}
          share={outside_rate}
          title="Share of all other rows on which the models differ"
        />
        <Figure
          name="coverage"
          value={percent(coverage)}
          share={coverage}
          title="Share of all differing rows that are inside"
        />
      </dl>
      {outcomes.length > 0 && <p class="imd-detail">Differing rows: {outcomes.join(", ")}.</p>}
      {right && (
        <Right
          right={right}
          aside={null}
          names={view.names}
          weighted={view.outputs.weighted}
          where="the cohort"
        />
      )}
    </li>
  );
}
