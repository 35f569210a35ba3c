// Above the list of rules: sort, search, one column, and who says what as a small table.

import type { DiffView, RuleView } from "../protocol/types";
import { plural } from "../text/format";
import { outcomeColor } from "../text/outcome";
import { Swatch } from "../tree/Legend";
import { columnsOf, type Filter, matching, type Order, outcomeKey } from "./filter";

/** Labels on a side; with more the table would be larger than the list. */
const MOST = 8;

const ORDERS: [Order, string][] = [
  ["coverage", "by coverage"],
  ["rows", "by rows"],
  ["rate", "by rate"],
];

export interface RuleBarProps {
  view: DiffView;
  /** Those of the selection, before any filter. */
  rules: readonly RuleView[];
  filter: Filter;
  onFilter: (change: Partial<Filter>) => void;
}

export function RuleBar({ view, filter, onFilter }: RuleBarProps) {
  const columns = columnsOf(view);
  if (filter.column && !columns.includes(filter.column)) columns.push(filter.column);
  return (
    <div class="imd-bar-line">
      <input
        type="search"
        data-testid="imd-filter"
        placeholder="Filter ( / )"
        aria-label="Filter rules by text"
        title="Words of a condition or of what the models say (key /)"
        value={filter.text}
        onInput={(event) => onFilter({ text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || filter.text === "") return;
          event.stopPropagation();
          onFilter({ text: "" });
        }}
      />
      <select
        data-testid="imd-column"
        aria-label="Only rules about a column"
        value={filter.column}
        onChange={(event) => onFilter({ column: event.currentTarget.value })}
      >
        <option value="">any column</option>
        {columns.map((column) => (
          <option key={column} value={column}>
            {column}
          </option>
        ))}
      </select>
      <select
        data-testid="imd-sort"
        aria-label="Sort rules"
        value={filter.order}
        onChange={(event) => onFilter({ order: event.currentTarget.value as Order })}
      >
        {ORDERS.map(([order, words]) => (
          <option key={order} value={order}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

interface Cell {
  rules: number;
  rows: number;
}

/** Who says what: of the rules that the other filters let through. */
export function Outcomes({ view, rules, filter, onFilter }: RuleBarProps) {
  const keys = new Set(view.rules.map(outcomeKey));
  // one outcome only: nothing to choose from
  if (keys.size < 2 && !filter.outcome) return null;
  const cells = new Map<string, Cell>();
  for (const rule of matching(rules, { ...filter, outcome: "" })) {
    const key = outcomeKey(rule);
    const cell = cells.get(key) ?? { rules: 0, rows: 0 };
    cells.set(key, { rules: cell.rules + 1, rows: cell.rows + rule.differing });
  }
  const [one, two] = view.names;
  const choose = (key: string) => onFilter({ outcome: key === filter.outcome ? "" : key });
  const countOf = (key: string) => cells.get(key) ?? { rules: 0, rows: 0 };
  const inWords = (key: string) => {
    const cell = countOf(key);
    return `${plural(cell.rules, "rule")}, ${plural(cell.rows, "differing row")}`;
  };
  const button = (key: string, name: string, text?: string) => (
    <button
      type="button"
      data-outcome={key}
      aria-pressed={key === filter.outcome}
      aria-label={`${name}: ${inWords(key)}`}
      title={`${name}: ${inWords(key)}`}
      onClick={() => choose(key)}
    >
      {text} <b>{countOf(key).rules}</b> <small>{countOf(key).rows}</small>
    </button>
  );

  if (view.outputs.kind !== "class")
    return (
      <div class="imd-sides">
        {["higher", "lower", "either way"]
          .filter((key) => keys.has(key))
          .map((key) => button(key, `${two} ${key}`, `${two} ${key}`))}
      </div>
    );

  const labels = ([0, 1] as const).map((side) =>
    [...new Set(view.rules.flatMap((rule) => rule.outcomes?.[side] ?? []))].sort((a, b) => a - b),
  ) as [number[], number[]];
  const name = (label: number) => view.classes[label] ?? "";
  const pair = (key: string) => {
    const [a = -1, b = -1] = key.split(",").map(Number);
    return `${name(a)} → ${name(b)}`;
  };
  if (labels.some((side) => side.length > MOST))
    return (
      <select
        class="imd-pairs"
        data-testid="imd-pairs"
        aria-label={`What ${one} and ${two} say`}
        value={filter.outcome}
        onChange={(event) => onFilter({ outcome: event.currentTarget.value })}
      >
        <option value="">
          {one} → {two}: any outcome
        </option>
        {[...keys].map((key) => (
          <option key={key} value={key}>
            {pair(key)} ({inWords(key)})
          </option>
        ))}
      </select>
    );
  const head = (label: number, scope: "row" | "col") => (
    <th key={label} scope={scope} title={`${scope === "row" ? one : two}: ${name(label)}`}>
      <span>
        <Swatch color={outcomeColor(view.outputs, { label, value: null })} />
        <span>{name(label)}</span>
      </span>
    </th>
  );
  return (
    <div class="imd-matrix">
      <table aria-label={`Rules and differing rows by what ${one} and ${two} say`}>
        <thead>
          <tr>
            <td>
              <span title={`Rows: ${one}. Columns: ${two}. In a cell: rules, differing rows.`}>
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
              {labels[1].map((to) => {
                const key = `${from},${to}`;
                return <td key={to}>{keys.has(key) ? button(key, pair(key)) : "·"}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
