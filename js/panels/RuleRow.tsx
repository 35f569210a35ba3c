// A rule in a few short lines: how many rows, how many of them differ, the outputs, and the conditions.

import type { DiffView, RuleView } from "../protocol/types";
import { count, percent, plural } from "../text/format";
import { hedge, namedPairs, ruleOutcome, titleText } from "../text/outcome";
import { outcomeColor } from "../ui/colors";
import { Swatch } from "../ui/Swatch";
import { Mark } from "./Evidence";
import { hasPairs, MOST_ROWS, PairsBar } from "./PairsBar";
import { expectedTitle, measuredBy } from "./RuleFigures";
import "./RuleRow.css";

interface RuleRowProps {
  rule: RuleView;
  view: DiffView;
  /** Rows of the largest rule of its kind, which has the longest bar. */
  most: number;
}

export function RuleRow({ rule, view, most }: RuleRowProps) {
  return (
    <>
      <span class="imd-row-size">
        <RuleBar rule={rule} most={most} />
        <Rows rule={rule} />
      </span>
      <span class="imd-row-main">
        <span class="imd-row-top">
          <Brief rule={rule} view={view} />
          <Expected rule={rule} view={view} />
        </span>
        <ConditionLine rule={rule} />
      </span>
    </>
  );
}

const isMeasured = (rule: RuleView, view: DiffView) =>
  measuredBy(view.metrics) !== "none" && rule.measured_rate !== null;

const shareOf = ({ agrees }: RuleView, rate: number | null) =>
  rate !== null && agrees ? 1 - rate : rate;

/** The rows of a rule, and the share of them that differ (or agree), on one scale for all rules. */
function RuleBar({ rule, most }: Omit<RuleRowProps, "view">) {
  return (
    <span class="imd-rule-bar" aria-hidden="true">
      <span style={{ width: `${most > 0 ? (100 * rule.support) / most : 0}%` }}>
        <i style={{ width: `${100 * (shareOf(rule, rule.expected_rate) ?? 0)}%` }} />
      </span>
    </span>
  );
}

/** With fewer held-out rows than this a count is clearer than a share, as in the headline. */
const FEW_MEASURED = 20;

/** The share of the held-out rows of a rule, or its count: "21 % of 33", "7 of 12"; a share without their number is of folds. */
function measuredWords(rule: RuleView, { metrics, outputs }: DiffView): [string, string] {
  const { holdout_support: rows, holdout_differing, agrees } = rule;
  const share = percent(shareOf(rule, rule.measured_rate));
  if (measuredBy(metrics) === "cv") return [share, " of"];
  if (rows >= FEW_MEASURED || outputs.weighted) return [share, ` of ${count(rows)}`];
  return [count(agrees ? rows - holdout_differing : holdout_differing), ` of ${count(rows)}`];
}

/** "21 % of 33 held-out rows" and how sure that is; without held-out rows "85 % expected", which is that of the fit, corrected. */
function Expected({ rule, view }: Omit<RuleRowProps, "most">) {
  const verb = rule.agrees ? "agree" : "differ";
  const measured = isMeasured(rule, view);
  const [share, of] = measured
    ? measuredWords(rule, view)
    : [percent(shareOf(rule, rule.expected_rate)), ""];
  return (
    <span class={`imd-row-figures${rule.confirmed === false ? " is-hint" : ""}`}>
      <Mark rule={rule} />
      <span title={measured ? `Rows not used to fit that ${verb}` : expectedTitle(rule)}>
        {rule.expected_rate === null ? (
          "not measured"
        ) : (
          <>
            <b>{share}</b>
            {of} {measured ? "held-out" : "expected"}
            {measured && <span class={/\d/.test(of) ? "imd-wide" : undefined}> rows</span>}
          </>
        )}
      </span>
    </span>
  );
}

/** "194 rows". */
function Rows({ rule }: { rule: RuleView }) {
  const rows = plural(rule.support, "row");
  const share = percent(shareOf(rule, rule.rate));
  const verb = rule.agrees ? "agree" : "differ";
  return <small title={`${share} of ${rows} used to fit ${verb}`}>{rows}</small>;
}

/** The outputs of both models; a bar, and only the most frequent pair, where the differing rows have several. */
function Brief({ rule, view }: Omit<RuleRowProps, "most">) {
  const { outputs } = view;
  if (rule.agrees) {
    const [one, two] = rule.said;
    return (
      <span class="imd-brief">
        <span>agree</span>
        {one === two && (
          <>
            <Swatch color={outcomeColor(outputs, ruleOutcome(rule, 0))} />
            <b>{one}</b>
          </>
        )}
      </span>
    );
  }
  const [pair] = namedPairs(rule);
  if (!pair) return null;
  const mixed = hasPairs(rule);
  const said = (side: 0 | 1) => (
    <>
      {!mixed && <Swatch color={outcomeColor(outputs, ruleOutcome(pair, side))} />}
      {rule.outcome_share >= MOST_ROWS ? <b>{pair.said[side]}</b> : <span>{pair.said[side]}</span>}
    </>
  );
  return (
    <span class="imd-brief" title={`${view.names.join(" → ")}: ${titleText(rule)}`}>
      {mixed && <PairsBar view={view} rule={rule} />}
      {hedge(outputs) && <span>{hedge(outputs)}</span>}
      {said(0)}
      <span>{rule.title_link}</span>
      {said(1)}
      {mixed && (
        <span class="imd-wide" aria-hidden="true">
          …
        </span>
      )}
      {rule.direction === "either" && <span>either way</span>}
    </span>
  );
}

/** The conditions in up to two lines: first those that its neighbours do not share, as the end of a long text is cut. */
function ConditionLine({ rule }: { rule: RuleView }) {
  const text = rule.conditions.map((condition) => condition.text).join(" and ") || "always";
  const conditions = rule.conditions.toSorted((a, b) => Number(a.shared) - Number(b.shared));
  return (
    <span class="imd-row-conditions" title={text}>
      {conditions.length === 0 && "always"}
      {conditions.map((condition, i) => (
        <span key={condition.text} class={condition.shared ? undefined : "is-own"}>
          {condition.text.replace(/([<>=]) /g, "$1\u00a0")}
          {i < conditions.length - 1 && " · "}
        </span>
      ))}
    </span>
  );
}
