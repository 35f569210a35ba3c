// Filters the rules by their outputs: buttons for numbers, a table for classes, a list for many classes.

import type { DiffView, RuleView } from "../protocol/types";
import { plural } from "../text/format";
import { namedPairs } from "../text/outcome";
import { Button } from "../ui/Button";
import { outcomeColor } from "../ui/colors";
import { Swatch } from "../ui/Swatch";
import { matching, outcomeKey } from "./filter";
import type { RuleFilterProps } from "./RuleFilters";
import "./OutcomeFilter.css";

/** Labels on a side; a table of more would be slow, and a list is shorter. */
const MOST = 40;
const DIRECTIONS = ["higher", "lower", "either way"];

interface Tally {
  rules: number;
  rows: number;
}

/** Rules and differing rows by outcome. */
function tallyOf(rules: readonly RuleView[]): (key: string) => Tally {
  const tallies = new Map<string, Tally>();
  const of = (key: string) => tallies.get(key) ?? { rules: 0, rows: 0 };
  for (const rule of rules) {
    const key = outcomeKey(rule);
    const { rules, rows } = of(key);
    tallies.set(key, { rules: rules + 1, rows: rows + rule.differing });
  }
  return of;
}

const tallyText = ({ rules, rows }: Tally) =>
  `${plural(rules, "rule")}, ${plural(rows, "differing row")}`;

/** "no → yes" for the key "0,1". */
function pairName(view: DiffView, key: string): string {
  const [one = -1, two = -1] = key.split(",").map(Number);
  return `${view.classes[one] ?? ""} → ${view.classes[two] ?? ""}`;
}

interface ChoiceProps {
  view: DiffView;
  /** The outcomes that occur in any rule. */
  keys: ReadonlySet<string>;
  /** Counts the rules that pass the other filters. */
  tally: (key: string) => Tally;
  chosen: string;
  onChoose: (key: string) => void;
}

/** Whether the diff rules have more than one outcome: with one there is nothing to choose. */
export function severalOutcomes({ rules }: DiffView): boolean {
  return new Set(rules.filter(({ agrees }) => !agrees).map(outcomeKey)).size > 1;
}

export function OutcomeFilter({ view, rules, filter, onFilter }: RuleFilterProps) {
  const differing = view.rules.filter(({ agrees }) => !agrees);
  const keys = new Set(differing.map(outcomeKey));
  if (!severalOutcomes(view) && !filter.outcome) return null;
  const choice: ChoiceProps = {
    view,
    keys,
    tally: tallyOf(matching(rules, { ...filter, outcome: "" })),
    chosen: filter.outcome,
    onChoose: (outcome) => onFilter({ outcome }),
  };
  if (view.outputs.kind !== "class") return <Directions {...choice} />;
  const labels = ([0, 1] as const).map((side) =>
    [...new Set(differing.flatMap((rule) => namedPairs(rule)[0]?.outcomes?.[side] ?? []))].sort(
      (a, b) => a - b,
    ),
  ) as [number[], number[]];
  if (labels.some((side) => side.length > MOST)) return <PairList {...choice} />;
  return <Matrix {...choice} labels={labels} />;
}

interface OutcomeButtonProps extends ChoiceProps {
  outcome: string;
  name: string;
  text?: string;
}

function OutcomeButton({ outcome, name, text, tally, chosen, onChoose }: OutcomeButtonProps) {
  const { rules, rows } = tally(outcome);
  const title = `most often ${name}: ${tallyText({ rules, rows })}`;
  return (
    <Button
      data-outcome={outcome}
      aria-pressed={outcome === chosen}
      aria-label={title}
      title={title}
      onClick={() => onChoose(outcome === chosen ? "" : outcome)}
    >
      {text} <b>{rules}</b> <small>{rows}</small>
    </Button>
  );
}

function Directions(choice: ChoiceProps) {
  const [, two] = choice.view.names;
  return (
    <div class="imd-sides">
      {DIRECTIONS.filter((key) => choice.keys.has(key)).map((key) => (
        <OutcomeButton
          key={key}
          {...choice}
          outcome={key}
          name={`${two} ${key}`}
          text={`${two} ${key}`}
        />
      ))}
    </div>
  );
}

function PairList({ view, keys, tally, chosen, onChoose }: ChoiceProps) {
  const [one, two] = view.names;
  return (
    <select
      class="imd-pairs"
      data-testid="imd-pairs"
      aria-label={`Outputs of ${one} and ${two}`}
      value={chosen}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      <option value="">
        {one} → {two}: any output
      </option>
      {[...keys].map((key) => (
        <option key={key} value={key}>
          most often {pairName(view, key)} ({tallyText(tally(key))})
        </option>
      ))}
    </select>
  );
}

/** Model 1 by rows, model 2 by columns. */
function Matrix({ labels, ...choice }: ChoiceProps & { labels: [number[], number[]] }) {
  const { view, keys } = choice;
  const [one, two] = view.names;
  const head = (label: number, scope: "row" | "col") => {
    const name = view.classes[label] ?? "";
    return (
      <th key={label} scope={scope} title={`${scope === "row" ? one : two}: ${name}`}>
        <span>
          <Swatch color={outcomeColor(view.outputs, { label, value: null })} />
          <span>{name}</span>
        </span>
      </th>
    );
  };
  const cell = (key: string) =>
    keys.has(key) ? <OutcomeButton {...choice} outcome={key} name={pairName(view, key)} /> : "·";
  return (
    <>
      <p class="imd-explained">
        Rules by their most frequent outputs. Each cell: rules, differing rows. Click to list them.
      </p>
      <div class="imd-matrix">
        <table
          aria-label={`Rules and their differing rows, by the most frequent outputs of ${one} and ${two}`}
        >
          <thead>
            <tr>
              <td>
                <span title={`Rows: ${one}. Columns: ${two}. Each cell: rules, differing rows.`}>
                  <span>{one}</span>↓<span>{two}</span>→
                </span>
              </td>
              {labels[1].map((label) => head(label, "col"))}
            </tr>
          </thead>
          <tbody>
            {labels[0].map((from) => (
              <tr key={from}>
                {head(from, "row")}
                {labels[1].map((to) => (
                  <td key={to}>{cell(`${from},${to}`)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
