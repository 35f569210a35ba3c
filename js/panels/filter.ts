// Which rules are listed, and in what order. A filter does not change what is selected.

import type { DiffView, Filter, RuleView } from "../protocol/types";
import { namedPairs, titleText } from "../text/outcome";

export type { Filter };

export type Order = Filter["order"];

export const ANY = { text: "", column: "", outcome: "" };
export const NO_FILTER: Filter = { order: "added", ...ANY };

export function isFiltered({ text, column, outcome }: Filter): boolean {
  return text.trim() !== "" || column !== "" || outcome !== "";
}

/** The most frequent pair of classes, "0,1"; for numbers whether model 2 says more or less, or either; "" for a rule of agreement. */
export function outcomeKey(rule: RuleView): string {
  const { agrees, direction } = rule;
  if (agrees) return "";
  const outcomes = namedPairs(rule)[0]?.outcomes;
  if (outcomes) return outcomes.join();
  return direction === "either" ? "either way" : direction === "up" ? "higher" : "lower";
}

/** Columns that occur in a condition, in the table's order. */
export function columnsOf({ rules, columns }: DiffView): string[] {
  const met = new Set(rules.flatMap(({ conditions }) => conditions.map(({ column }) => column)));
  const inOrder = new Set([...columns, ...met]);
  return [...inOrder].filter((column) => met.has(column));
}

const size: Record<Order, (rule: RuleView) => number> = {
  added: () => 0,
  coverage: (rule) => rule.coverage,
  rows: (rule) => rule.support,
  rate: ({ expected_rate, agrees }) => shareOf(expected_rate, agrees),
};

/** The share that the rule is about; a rule without one comes last. */
function shareOf(rate: number | null, agrees: boolean): number {
  return rate === null ? -1 : agrees ? 1 - rate : rate;
}

/** Rules of agreement last, each kind in descending order; equal rules stay in the order of their numbers. */
export function sorted(rules: readonly RuleView[], order: Order): RuleView[] {
  const of = size[order];
  return rules.toSorted(
    (a, b) => Number(a.agrees) - Number(b.agrees) || of(b) - of(a) || a.number - b.number,
  );
}

export function matching(rules: readonly RuleView[], filter: Filter): RuleView[] {
  if (!isFiltered(filter)) return [...rules];
  const wanted = filter.text.trim().toLowerCase();
  return rules.filter((rule) => {
    const { conditions, said } = rule;
    if (filter.column && !conditions.some(({ column }) => column === filter.column)) return false;
    if (filter.outcome && outcomeKey(rule) !== filter.outcome) return false;
    const words = [...conditions.map(({ text }) => text), ...said, titleText(rule)];
    return words.some((text) => text.toLowerCase().includes(wanted));
  });
}
