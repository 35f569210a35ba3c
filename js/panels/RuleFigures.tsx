// The figures of a rule: rows, share that differs (or agrees), the same on rows not used to fit, coverage.

import type { DiffView, Metrics, RuleView } from "../protocol/types";
import { count, intervalSentence, percent, wideInterval } from "../text/format";
import { Figure } from "../ui/Figure";

/** How the figures of a diff were measured; files of earlier releases hold less. */
export const measuredBy = ({ measured_by, on_holdout }: Metrics): "holdout" | "cv" | "none" =>
  measured_by ?? (on_holdout ? "holdout" : "none");

/** How the expected share of a rule is found if it was not measured. */
export const expectedTitle = ({ agrees }: RuleView) =>
  `Share of new rows expected to ${agrees ? "agree" : "differ"}: lower than on the rows used to fit, on which the rule was chosen`;

interface MeasuredProps {
  rule: RuleView;
  weighted: boolean;
  verb: string;
}

/** The share on held-out rows, or on those of the folds inside similar rules. */
function MeasuredFigure({ rule, weighted, verb, by }: MeasuredProps & { by: "holdout" | "cv" }) {
  const { agrees, measured_rate: measured, holdout_support: rows, holdout_differing } = rule;
  const [low, high] = rule.interval;
  const rate = measured === null ? null : agrees ? 1 - measured : measured;
  const interval: [number, number] = agrees ? [1 - high, 1 - low] : [low, high];
  const of = agrees ? rows - holdout_differing : holdout_differing;
  const counts = `${count(of)} of ${count(rows)}`;
  const byWeight = weighted ? " (the share is by weight)" : "";
  const [detail, title] =
    by === "holdout"
      ? [
          `${counts}${weighted ? " rows" : ""}`,
          `Held-out rows inside the rule that ${verb}: ${counts}${byWeight}.`,
        ]
      : [
          undefined,
          `Share of held-out rows that ${verb} inside the most similar rule of each of five folds${byWeight}.`,
        ];
  return (
    <Figure
      name={by === "holdout" ? "held-out" : "cross-fit"}
      value={percent(rate)}
      detail={detail}
      range={wideInterval(interval)}
      share={rate}
      title={`${title} ${intervalSentence(interval)}`}
    />
  );
}

/** The share to expect on new rows, of a rule whose share was not measured. */
function ExpectedFigure({ rule, by }: { rule: RuleView; by: "holdout" | "cv" | "none" }) {
  const { agrees, expected_rate: expected } = rule;
  const share = expected !== null && agrees ? 1 - expected : expected;
  const [detail, why] = {
    none: [undefined, ""],
    holdout: ["no held-out rows", "No held-out rows are inside the rule. "],
    cv: [
      "not found again",
      "No similar rule was found without some of the rows: do not rely on it. ",
    ],
  }[by];
  return (
    <Figure
      name="expected"
      value={percent(share)}
      detail={detail}
      share={share}
      title={`${why}${expectedTitle(rule)}`}
    />
  );
}

/** The share on the rows used to fit. The rule was chosen on them, so that it has no interval. */
function FittedFigure({ rule, weighted, verb }: MeasuredProps) {
  const { agrees, rate, support, differing } = rule;
  const counts = `${count(agrees ? support - differing : differing)} of ${count(support)}`;
  const byWeight = weighted ? " (the share is by weight)" : "";
  return (
    <Figure
      name={verb}
      value={percent(rate !== null && agrees ? 1 - rate : rate)}
      // The share beside a count is not a share of that count: the word keeps them apart.
      detail={rate === null ? "no rows" : `${counts}${weighted ? " rows" : ""}`}
      share={rate !== null && agrees ? 1 - rate : rate}
      title={
        rate === null
          ? "No rows used to fit are inside the rule"
          : `Rows used to fit inside the rule that ${verb}: ${counts}${byWeight}. Expect a lower share on new rows`
      }
    />
  );
}

export function RuleFigures({ rule, view }: { rule: RuleView; view: DiffView }) {
  const { weighted } = view.outputs;
  const verb = rule.agrees ? "agree" : "differ";
  const by = measuredBy(view.metrics);
  return (
    <dl class="imd-figures">
      <Figure
        name="rows"
        value={count(rule.support)}
        detail={by === "holdout" ? "used to fit" : undefined}
        title="Rows used to fit inside the rule"
      />
      <FittedFigure rule={rule} weighted={weighted} verb={verb} />
      {by === "none" || rule.measured_rate === null ? (
        <ExpectedFigure rule={rule} by={by} />
      ) : (
        <MeasuredFigure rule={rule} weighted={weighted} verb={verb} by={by} />
      )}
      <Figure
        name="coverage"
        value={percent(rule.coverage)}
        share={rule.coverage}
        title={`Share of all ${rule.agrees ? "agreeing" : "differing"} rows used to fit that are inside this rule${weighted ? " (by weight)" : ""}`}
      />
    </dl>
  );
}
