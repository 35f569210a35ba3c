// One rule: who says what, where, on how many rows, who is right, and in the words of three languages.

import { useEffect, useState } from "preact/hooks";
import type { DiffView, RuleView } from "../protocol/types";
import { amount, count, percent } from "../text/format";
import { hedge, outcomeColor, ruleOutcome } from "../text/outcome";
import { Line, Swatch } from "../tree/Legend";
import { copyText } from "../ui/clipboard";
import { memo } from "../ui/memo";
import { Right } from "./Right";

export interface RuleCardProps {
  rule: RuleView;
  view: DiffView;
  selected: boolean;
  onPick: (rule: number, add: boolean) => void;
  onHover: (rule: number | null) => void;
}

export const RuleCard = memo((props: RuleCardProps) => {
  const { rule, view, selected, onPick, onHover } = props;
  const { number, conditions } = rule;
  const { weighted } = view.outputs;
  // the share beside a count is not of that count: the word keeps them apart
  const rows = weighted ? " rows" : "";
  const byWeight = weighted ? " (the share is by weight)" : "";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button inside is the same for the keyboard, its clicks arrive here
    <li
      class={selected ? "imd-card is-selected" : "imd-card"}
      data-rule={number}
      onClick={(event) => onPick(number, event.shiftKey)}
      onMouseEnter={() => onHover(number)}
      onMouseLeave={() => onHover(null)}
    >
      <button
        type="button"
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
      </button>
      <Detail view={view} rule={rule} />
      <div class="imd-chips">
        {conditions.length === 0 && <span class="imd-chip">always</span>}
        {conditions.map((condition) => (
          <span
            key={condition.text}
            class={condition.shared ? "imd-chip is-shared" : "imd-chip"}
            title={
              condition.shared
                ? `${condition.text} (shared with neighbouring rules)`
                : condition.text
            }
          >
            {condition.text}
          </span>
        ))}
      </div>
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
      {rule.right && (
        <Right
          right={rule.right}
          aside={rule.holdout_right}
          names={view.names}
          weighted={weighted}
        />
      )}
      <Copies rule={rule} />
    </li>
  );
});

/** What the differing rows are like, where they are not all as the outcomes say; and what the tree shows there. */
function Detail({ view, rule }: { view: DiffView; rule: RuleView }) {
  const said = detailOf(view, rule);
  return said.length > 0 ? <p class="imd-detail">{said.join(" ")}</p> : null;
}

export function detailOf({ outputs, names }: DiffView, rule: RuleView): string[] {
  const { up, down, others, usual, rate } = rule;
  const said: string[] = [];
  if (up !== null && down !== null) {
    const byWeight = outputs.weighted ? " (by weight)" : "";
    const ways = `${names[1]} is higher on ${amount(up)} ${up === 1 ? "row" : "rows"}, lower on ${amount(down)}${byWeight}.`;
    if (rule.direction === "either")
      said.push(
        `These are the means of all rows here. Single rows are ${outputs.differs}, either way: ${ways}`,
      );
    else if (up > 0 && down > 0) said.push(ways);
  } else if (rule.outcome_share < 1) {
    const pairs = others.map(({ said: [one, two], share }) => `${percent(share)} ${one} → ${two}`);
    const told = others.reduce((sum, { share }) => sum + share, rule.outcome_share);
    if (told < 1 - 1e-6) pairs.push(`${percent(1 - told)} otherwise`);
    const rest = pairs.length > 0 ? `, ${pairs.join(", ")}` : "";
    said.push(`Of the rows that differ, ${percent(rule.outcome_share)} are like this${rest}.`);
  }
  if (usual && usual[0] === usual[1] && rate !== null && rate < 1)
    said.push(
      `On the other ${percent(1 - rate)} of the rows they agree. Most often both say ${usual[0]}: that is what the box in the tree shows.`,
    );
  return said;
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

interface FigureProps {
  name: string;
  value: string;
  /** The counts behind the value. */
  detail?: string;
  title: string;
  share?: number | null;
}

export function Figure({ name, value, detail, title, share }: FigureProps) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>
        {value}
        {detail && <small>{detail}</small>}
      </dd>
      {share !== undefined && (
        <span class="imd-meter" aria-hidden="true">
          <i style={{ width: `${100 * Math.min(1, share ?? 0)}%` }} />
        </span>
      )}
    </div>
  );
}

/** Field of a condition, what it is called, what joins conditions, and what always holds. */
export const FORMS = [
  ["text", "Text", " and ", "always"],
  ["query", "pandas", " and ", "index == index or index != index"],
  ["sql", "SQL", " AND ", "TRUE"],
] as const;

/** The conditions of a rule in one language, as `rule.to_query()` and its like; null where it cannot say one. */
export function inForm({ conditions }: RuleView, form: (typeof FORMS)[number]): string | null {
  const [field, , joint, always] = form;
  const parts = conditions.map((condition) => condition[field]);
  if (parts.includes(null)) return null;
  // "a or missing and b" could be misread
  const several = field === "text" && parts.length > 1;
  const whole = parts.map((part) =>
    several && part?.endsWith(" or missing") ? `(${part})` : part,
  );
  return whole.join(joint) || always;
}

function Copies({ rule }: { rule: RuleView }) {
  const [done, setDone] = useState<{ form: string; ok: boolean } | null>(null);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(null), 1600);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <div class="imd-copies">
      <span>Copy</span>
      {FORMS.map((language) => {
        const [form, word] = language;
        const text = inForm(rule, language);
        return (
          text !== null && (
            <button
              key={form}
              type="button"
              data-copy={form}
              title={text}
              onClick={async (event) => {
                event.stopPropagation();
                setDone({ form, ok: await copyText(text, event.currentTarget) });
              }}
            >
              {word}
            </button>
          )
        );
      })}
      <span class="imd-done" role="status">
        {done && (done.ok ? "copied" : "could not copy")}
      </span>
      <span class="imd-number" title={`In Python: diff.rules[${rule.number}]`}>
        rule {rule.number}
      </span>
    </div>
  );
}
