// A cohort of the user's own, beside the rules: a condition is typed, the kernel measures it.

import { useState } from "preact/hooks";
import { offFor } from "../host/host";
import type { CohortView, DiffView } from "../protocol/types";
import { useDiff } from "../state/context";
import { useCohorts } from "../state/useCohorts";
import { usePanelState } from "../state/usePanelState";
import { count, percent, wideInterval } from "../text/format";
import { Button } from "../ui/Button";
import { ErrorBox } from "../ui/ErrorBox";
import { Figure } from "../ui/Figure";
import { Right } from "./Right";
import "./CohortPanel.css";

const EXAMPLE = "age < 30 and job == 'nurse'";

export function CohortPanel() {
  const { state, view, uid } = useDiff();
  const off = offFor(state, "cohort");
  const { cohorts, busy, error, add, remove, dismiss } = useCohorts(off === null);
  const [text, setText] = usePanelState("cohort", "");
  const [sent, setSent] = useState(false);
  const enter = async () => {
    const condition = text.trim();
    if (off !== null || condition === "" || sent) return;
    setSent(true);
    // What was typed stays until it is understood.
    if (await add(condition)) setText("");
    setSent(false);
  };
  return (
    <section class="imd-cohorts" aria-label="Your own cohorts">
      <label
        class="imd-cohort-field"
        title={off ?? "Written as for DataFrame.query; Enter measures"}
      >
        <span>Your own cohort</span>
        <input
          type="text"
          data-testid="imd-cohort"
          value={text}
          placeholder={EXAMPLE}
          spellcheck={false}
          autocomplete="off"
          readOnly={off !== null}
          aria-disabled={off !== null}
          aria-busy={busy}
          aria-describedby={off === null ? undefined : `${uid}-no-cohort`}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && enter()}
        />
      </label>
      {off !== null && (
        <p class="imd-cohort-note" id={`${uid}-no-cohort`}>
          {off}
        </p>
      )}
      <p class="imd-cohort-note" role="status">
        {busy && "Measuring…"}
      </p>
      {error !== null && (
        <ErrorBox id="imd-cohort-error" error={error}>
          <Button aria-label="Dismiss" onClick={dismiss}>
            ×
          </Button>
        </ErrorBox>
      )}
      {cohorts.length > 0 && (
        <ul class="imd-cards">
          {cohorts.map((cohort) => (
            <CohortCard
              key={cohort.condition}
              cohort={cohort}
              view={view}
              onRemove={() => remove(cohort.condition)}
            />
          ))}
        </ul>
      )}
    </section>
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
  const [low, high] = interval.map((end) => Math.round(100 * end));
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
        <Figure name="rows" value={count(rows)} title="Rows of the table that it holds for" />
        <Figure
          name="differ"
          value={percent(rate)}
          detail={rows > 0 ? `${count(differing)} of ${count(rows)}` : "no row"}
          range={rows > 0 ? wideInterval(interval) : null}
          share={rate}
          title={`Share of its rows on which the models differ; 95 % interval: ${low} to ${high} %`}
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
          title="Share of all differing rows that lie inside"
        />
      </dl>
      {outcomes.length > 0 && (
        <p class="imd-detail">Of the rows that differ: {outcomes.join(", ")}.</p>
      )}
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
