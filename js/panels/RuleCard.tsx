// One rule: its outcomes, its conditions, its figures, which model is right, and its text in three languages.

import type { DiffView, RuleView } from "../protocol/types";
import { count, percent } from "../text/format";
import { hedge, ruleOutcome } from "../text/outcome";
import { detailOf } from "../text/ruleDetail";
import { Button } from "../ui/Button";
import { outcomeColor } from "../ui/colors";
import { Figure } from "../ui/Figure";
import { Line } from "../ui/Line";
import { memo } from "../ui/memo";
import { Swatch } from "../ui/Swatch";
import { CopyButtons } from "./CopyButtons";
import { Right } from "./Right";
import "./RuleCard.css";

export interface RuleCardProps {
  rule: RuleView;
  view: DiffView;
  selected: boolean;
  onPick: (rule: number, add: boolean) => void;
  onHover: (rule: number | null) => void;
}

export const RuleCard = memo((props: RuleCardProps) => {
  const { rule, view, selected, onPick, onHover } = props;
  const { number } = rule;
  const { weighted } = view.outputs;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button inside is the same for the keyboard, its clicks arrive here
    <li
      class={selected ? "imd-card is-selected" : "imd-card"}
      data-rule={number}
      onClick={(event) => onPick(number, event.shiftKey)}
      onMouseEnter={() => onHover(number)}
      onMouseLeave={() => onHover(null)}
    >
      <Button
        class="imd-outcomes"
        aria-pressed={selected}
        onFocus={() => onHover(number)}
        onBlur={() => onHover(null)}
      >
        <Outcome view={view} rule={rule} side={0} />
        <span class="imd-arrow" aria-hidden="true">
          {rule.direction === "either" ? "·" : "→"}
        </span>
        <Outcome view={view} rule={rule} side={1} />
      </Button>
      <Detail view={view} rule={rule} />
      <Conditions rule={rule} />
      <Figures rule={rule} weighted={weighted} />
      {rule.right && (
        <Right
          right={rule.right}
          aside={rule.holdout_right}
          names={view.names}
          weighted={weighted}
        />
      )}
      <CopyButtons rule={rule} />
    </li>
  );
});

function Conditions({ rule: { conditions } }: { rule: RuleView }) {
  return (
    <div class="imd-chips">
      {conditions.length === 0 && <span class="imd-chip">always</span>}
      {conditions.map((condition) => (
        <span
          key={condition.text}
          class={condition.shared ? "imd-chip is-shared" : "imd-chip"}
          title={
            condition.shared ? `${condition.text} (shared with neighbouring rules)` : condition.text
          }
        >
          {condition.text}
        </span>
      ))}
    </div>
  );
}

function Figures({ rule, weighted }: { rule: RuleView; weighted: boolean }) {
  // The share beside a count is not a share of that count: the word keeps them apart.
  const rows = weighted ? " rows" : "";
  const byWeight = weighted ? " (the share is by weight)" : "";
  return (
    <dl class="imd-figures">
      <Figure name="rows" value={count(rule.support)} title="Rows used to fit inside the rule" />
      <Figure
        name="differ"
        value={percent(rule.rate)}
        detail={`${count(rule.differing)} of ${count(rule.support)}${rows}`}
        share={rule.rate}
        title={`${count(rule.differing)} of ${count(rule.support)} rows inside differ${byWeight}`}
      />
      <Figure
        name="kept aside"
        value={percent(rule.holdout_rate)}
        detail={
          rule.holdout_rate === null
            ? "no row"
            : `${count(rule.holdout_differing)} of ${count(rule.holdout_support)}${rows}`
        }
        share={rule.holdout_rate}
        title={
          rule.holdout_rate === null
            ? "No row kept aside lies inside"
            : `The same on rows kept aside: ${count(rule.holdout_differing)} of ${count(rule.holdout_support)} differ${byWeight}`
        }
      />
      <Figure
        name="coverage"
        value={percent(rule.coverage)}
        share={rule.coverage}
        title={`Share of all differing rows, of those used to fit, that lie inside this rule${byWeight}`}
      />
    </dl>
  );
}

function Detail({ view, rule }: { view: DiffView; rule: RuleView }) {
  const said = detailOf(view, rule);
  return said.length > 0 ? <p class="imd-detail">{said.join(" ")}</p> : null;
}

function Outcome({ view, rule, side }: { view: DiffView; rule: RuleView; side: 0 | 1 }) {
  const said = rule.said[side];
  const about = hedge(view.outputs);
  return (
    <span class="imd-outcome" title={`${view.names[side]}: ${about}${said}`}>
      <span class="imd-who">
        <Line dashed={side === 1} />
        <span>{view.names[side]}:</span>
      </span>{" "}
      <span class="imd-said">
        <Swatch color={outcomeColor(view.outputs, ruleOutcome(rule, side))} />
        {about && <span>{about}</span>}
        <b>{said}</b>
      </span>
    </span>
  );
}
