// One rule: a row of the list, which opens into its conditions, its figures, which model is right, and its text in three
// languages.

import { Fragment } from "preact";
import type { DiffView, RuleView, Stability } from "../protocol/types";
import { percent } from "../text/format";
import { hedge, type NamedPair, namedPairs, ruleOutcome } from "../text/outcome";
import { detailOf } from "../text/ruleDetail";
import { Button } from "../ui/Button";
import { outcomeColor } from "../ui/colors";
import { Line } from "../ui/Line";
import { memo } from "../ui/memo";
import { Swatch } from "../ui/Swatch";
import { ByGroups } from "./ByGroups";
import { CopyButtons } from "./CopyButtons";
import { Evidence } from "./Evidence";
import { hasPairs, pairsOf } from "./PairsBar";
import { Points } from "./Points";
import { Right } from "./Right";
import { measuredBy, RuleFigures } from "./RuleFigures";
import { RuleRow } from "./RuleRow";
import { StabilityLine } from "./Stability";
import "./RuleCard.css";

export interface RuleCardProps {
  rule: RuleView;
  view: DiffView;
  /** Rows of the largest rule of its kind. */
  most: number;
  selected: boolean;
  /** Whether all of it is shown. */
  open: boolean;
  /** Whether the tab key stops at it. */
  tabStop: boolean;
  /** null until it is measured. */
  stability: Stability | null;
  onPick: (rule: number, add: boolean) => void;
  onHover: (rule: number | null) => void;
}

export const RuleCard = memo((props: RuleCardProps) => {
  const { rule, view, most, selected, open, tabStop, stability, onPick, onHover } = props;
  const { number } = rule;
  const classes = ["imd-card"];
  if (selected) classes.push("is-selected");
  if (open) classes.push("is-open");
  if (rule.agrees) classes.push("is-agreement");
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button inside is the same for the keyboard, its clicks arrive here
    <li
      class={classes.join(" ")}
      data-rule={number}
      onClick={(event) => onPick(number, event.shiftKey)}
      onMouseEnter={() => onHover(number)}
      onMouseLeave={() => onHover(null)}
    >
      <Button
        class="imd-row"
        aria-pressed={selected}
        tabIndex={tabStop ? 0 : -1}
        onFocus={() => onHover(number)}
        onBlur={() => onHover(null)}
      >
        <RuleRow rule={rule} view={view} most={most} />
      </Button>
      {stability && <StabilityLine rule={rule} stability={stability} />}
      {open && <Opened {...props} />}
    </li>
  );
});

/** All that is known of the rule. */
function Opened({ rule, view }: RuleCardProps) {
  const { weighted } = view.outputs;
  return (
    <div class="imd-opened">
      {rule.agrees ? (
        <p class="imd-outcomes">
          <Agreement view={view} rule={rule} />
        </p>
      ) : (
        <Outcomes view={view} rule={rule} />
      )}
      {!rule.agrees && <Detail view={view} rule={rule} />}
      <Conditions rule={rule} />
      <Points rule={rule} />
      <RuleFigures rule={rule} view={view} />
      <Evidence rule={rule} view={view} />
      <ByGroups rule={rule} view={view} />
      {rule.right && (
        <Right
          right={rule.right}
          aside={measuredBy(view.metrics) === "holdout" ? rule.holdout_right : null}
          names={view.names}
          weighted={weighted}
        />
      )}
      <CopyButtons rule={rule} />
    </div>
  );
}

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

function Detail({ view, rule }: { view: DiffView; rule: RuleView }) {
  const said = detailOf(view, rule);
  return said.length > 0 ? <p class="imd-detail">{said.join(" ")}</p> : null;
}

interface SaidProps {
  view: DiffView;
  rule: RuleView;
}

/** The outputs on the differing rows of the rule; a list of the pairs with their shares if there are several. */
function Outcomes({ view, rule }: SaidProps) {
  const [first] = namedPairs(rule);
  if (!first) return null;
  if (hasPairs(rule)) return <Pairs view={view} rule={rule} />;
  return (
    <p class="imd-outcomes">
      {rule.title_before && <span class="imd-arrow">{rule.title_before}</span>}
      <Outcome view={view} pair={first} side={0} />
      <span class="imd-arrow" aria-hidden={rule.title_link === "→"}>
        {rule.title_link}
      </span>
      <Outcome view={view} pair={first} side={1} />
    </p>
  );
}

function Pairs({ view, rule }: SaidProps) {
  const { pairs, rest } = pairsOf(rule);
  return (
    <>
      <p class="imd-detail">{view.names.join(" → ")}, share of the differing rows:</p>
      <ul class="imd-pairs">
        {pairs.map((pair) => (
          <li key={pair.said.join()}>
            {([0, 1] as const).map((side) => (
              <Fragment key={side}>
                {side === 1 && " → "}
                <Swatch color={outcomeColor(view.outputs, ruleOutcome(pair, side))} />{" "}
                {pair.said[side]}
              </Fragment>
            ))}{" "}
            <b>{percent(pair.share)}</b>
          </li>
        ))}
        {rest > 0 && (
          <li>
            other pairs <b>{percent(rest)}</b>
          </li>
        )}
      </ul>
    </>
  );
}

/** The most frequent output on the rows of a rule of agreement. */
function Agreement({ view, rule }: SaidProps) {
  const [one, two] = rule.said;
  return (
    <span class="imd-outcome" title={`${view.names[0]} and ${view.names[1]} agree here`}>
      <b>They agree{one === two && ","}</b>
      {one === two && (
        <span class="imd-said">
          <span>most often on {hedge(view.outputs)}</span>
          <Swatch color={outcomeColor(view.outputs, ruleOutcome(rule, 0))} />
          <b>{one}</b>
        </span>
      )}
    </span>
  );
}

function Outcome({ view, pair, side }: { view: DiffView; pair: NamedPair; side: 0 | 1 }) {
  const said = pair.said[side];
  const about = hedge(view.outputs);
  return (
    <span class="imd-outcome" title={`${view.names[side]}: ${about}${said}`}>
      <span class="imd-who">
        <Line dashed={side === 1} />
        <span>{view.names[side]}:</span>
      </span>{" "}
      <span class="imd-said">
        <Swatch color={outcomeColor(view.outputs, ruleOutcome(pair, side))} />
        {about && <span>{about}</span>}
        <b>{said}</b>
      </span>
    </span>
  );
}
