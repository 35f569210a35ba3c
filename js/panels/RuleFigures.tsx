// The figures of a rule: rows, share that differs (or agrees), the same on rows kept aside, coverage.

import type { DiffView, MetricsView, RuleView } from "../protocol/types";
import { count, percent, wideInterval } from "../text/format";
import { Figure } from "../ui/Figure";

/** Whether the figures of a rule were measured on rows kept aside, too. */
export const hasHoldout = ({ measured_by, on_holdout }: MetricsView): boolean =>
  (measured_by ?? (on_holdout ? "holdout" : "none")) === "holdout";

interface Share {
  rate: number | null;
  interval: [number, number];
  of: number;
  rows: number;
}

/** Share and counts of the rows that differ; for a rule of agreement, of those that agree. */
function shareOf(agrees: boolean, { rate, interval: [low, high], of, rows }: Share): Share {
  if (!agrees) return { rate, interval: [low, high], of, rows };
  return {
    rate: rate === null ? null : 1 - rate,
    interval: [1 - high, 1 - low],
    of: rows - of,
    rows,
  };
}

interface ShareFigureProps {
  name: string;
  share: Share;
  weighted: boolean;
  /** What the share is, before its counts. */
  title: string;
}

function ShareFigure({ name, share, weighted, title }: ShareFigureProps) {
  const { rate, interval, of, rows } = share;
  const counts = `${count(of)} of ${count(rows)}`;
  const [low, high] = interval.map((end) => Math.round(100 * end));
  return (
    <Figure
      name={name}
      value={percent(rate)}
      // The share beside a count is not a share of that count: the word keeps them apart.
      detail={rate === null ? "no row" : `${counts}${weighted ? " rows" : ""}`}
      range={rate === null ? null : wideInterval(interval)}
      share={rate}
      title={
        rate === null
          ? `${title}: no row lies inside`
          : `${title}: ${counts} rows${weighted ? " (the share is by weight)" : ""}. 95 % interval: ${low} to ${high} %`
      }
    />
  );
}

export function RuleFigures({ rule, view }: { rule: RuleView; view: DiffView }) {
  const { agrees } = rule;
  const { weighted } = view.outputs;
  const verb = agrees ? "agree" : "differ";
  const inside = { rate: rule.rate, interval: rule.interval, of: rule.differing };
  const aside = { rate: rule.holdout_rate, interval: rule.holdout_interval };
  return (
    <dl class="imd-figures">
      <Figure name="rows" value={count(rule.support)} title="Rows used to fit inside the rule" />
      <ShareFigure
        name={verb}
        share={shareOf(agrees, { ...inside, rows: rule.support })}
        weighted={weighted}
        title={`Of the rows used to fit inside the rule ${verb}`}
      />
      {hasHoldout(view.metrics) && (
        <ShareFigure
          name="kept aside"
          share={shareOf(agrees, {
            ...aside,
            of: rule.holdout_differing,
            rows: rule.holdout_support,
          })}
          weighted={weighted}
          title={`The same on rows kept aside, of which ${verb}`}
        />
      )}
      <Figure
        name="coverage"
        value={percent(rule.coverage)}
        share={rule.coverage}
        title={`Share of all ${agrees ? "agreeing" : "differing"} rows, of those used to fit, that lie inside this rule${weighted ? " (by weight)" : ""}`}
      />
    </dl>
  );
}
