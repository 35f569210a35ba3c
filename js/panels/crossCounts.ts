// Counts from the cross table: which classes to show, false alarms and misses, precision and recall.

import type { CrossTable, Side } from "../protocol/types";

/** Classes of a table; with more it would be slow to draw and hard to read. */
const MOST = 25;

/** Rows on which one model gives the class and the other does not, by class. */
export function differingByClass({ cells }: CrossTable): Map<number, number> {
  const found = new Map<number, number>();
  for (const [one, two, rows] of cells)
    for (const label of new Set([one, two]))
      found.set(label, (found.get(label) ?? 0) + (one === two ? 0 : rows));
  return found;
}

/** The classes with most differing rows, in their order, and how many are left out. */
export function labelsOf(crosstab: CrossTable): { labels: number[]; more: number } {
  const all = [...differingByClass(crosstab)].sort(([a, n], [b, m]) => m - n || a - b);
  const labels = all.slice(0, MOST).map(([label]) => label);
  return { labels: labels.sort((a, b) => a - b), more: all.length - labels.length };
}

export interface Misjudged {
  falseAlarms: number;
  misses: number;
  precision: number | null;
  recall: number | null;
  /** Rows that have the class. */
  rows: number;
}

/** How a model judges one class; `truth` says which of the two columns of the table is the ground truth. */
export function misjudged({ cells }: CrossTable, truth: Side, label: number): Misjudged {
  let [hits, falseAlarms, misses] = [0, 0, 0];
  for (const [one, two, rows] of cells) {
    const [said, is] = truth === 1 ? [two, one] : [one, two];
    if (said === label && is === label) hits += rows;
    else if (said === label) falseAlarms += rows;
    else if (is === label) misses += rows;
  }
  return {
    falseAlarms,
    misses,
    precision: hits + falseAlarms > 0 ? hits / (hits + falseAlarms) : null,
    recall: hits + misses > 0 ? hits / (hits + misses) : null,
    rows: hits + misses,
  };
}

/** The same for every class, that with most wrong rows first. */
export function errorsByClass(
  crosstab: CrossTable,
  truth: Side,
): (Misjudged & { label: number })[] {
  const labels = [...differingByClass(crosstab).keys()];
  const wrong = ({ falseAlarms, misses }: Misjudged) => falseAlarms + misses;
  return labels
    .map((label) => ({ label, ...misjudged(crosstab, truth, label) }))
    .sort((a, b) => wrong(b) - wrong(a) || a.label - b.label);
}
