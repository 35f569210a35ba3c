// A rule in a few short lines: how many rows, how many of them differ, the outputs, and the conditions.

import type { DiffView, RuleView } from "../protocol/types";
import { percent, plural } from "../text/format";
import { hedge, namedPairs, ruleOutcome } from "../text/outcome";
import { outcomeColor } from "../ui/colors";
import { Swatch } from "../ui/Swatch";
import { hasPairs, MOST_ROWS, PairsBar } from "./PairsBar";
import { expectedTitle, measuredBy } from "./RuleFigures";
import "./RuleRow.css";

interface RuleRowProps {
  rule: RuleView;
  view: DiffView;
  /** Rows of the largest rule, which has the longest bar. */
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

/** "91 % on holdout": the share on rows not used to fit; without one, "85 % expected", which is that of the fit, corrected. */
function Expected({ rule, view }: Omit<RuleRowProps, "most">) {
  const verb = rule.agrees ? "agree" : "differ";
  const measured = isMeasured(rule, view);
  const by = measuredBy(view.metrics) === "holdout" ? "on holdout" : "cross-fitted";
  return (
    <span
      class="imd-row-figures"
      title={measured ? `Share of rows not used to fit that ${verb}` : expectedTitle(rule)}
    >
      {rule.expected_rate === null ? (
        "not measured"
      ) : (
        <>
          <b>{percent(shareOf(rule, rule.expected_rate))}</b> {measured ? by : "expected"}
        </>
      )}
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

/** The outputs of both models; a bar where the differing rows have several pairs. */
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
    <span
      class="imd-brief"
      title={`${view.names.join(" → ")}: ${pair.said.join(` ${rule.title_link} `)}`}
    >
      {mixed && <PairsBar view={view} rule={rule} />}
      {hedge(outputs) && <span>{hedge(outputs)}</span>}
      {said(0)}
      <span>{rule.title_link}</span>
      {said(1)}
      {pair.share !== null && <span class="imd-soft">{percent(pair.share)}</span>}
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
