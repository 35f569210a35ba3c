// Counts from the cross table: which classes to show, false positives and negatives, precision and recall.

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

export interface ClassErrors {
  falsePositives: number;
  falseNegatives: number;
  precision: number | null;
  recall: number | null;
  /** Rows that have the class. */
  rows: number;
}

/** The errors of a model for one class; `truth` is the side of the table with the ground truth. */
export function classErrors({ cells }: CrossTable, truth: Side, label: number): ClassErrors {
  let [hits, falsePositives, falseNegatives] = [0, 0, 0];
  for (const [one, two, rows] of cells) {
    const [predicted, actual] = truth === 1 ? [two, one] : [one, two];
    if (predicted === label && actual === label) hits += rows;
    else if (predicted === label) falsePositives += rows;
    else if (actual === label) falseNegatives += rows;
  }
  return {
    falsePositives,
    falseNegatives,
    precision: hits + falsePositives > 0 ? hits / (hits + falsePositives) : null,
    recall: hits + falseNegatives > 0 ? hits / (hits + falseNegatives) : null,
    rows: hits + falseNegatives,
  };
}

/** The same for every class, that with most wrong rows first. */
export function errorsByClass(
  crosstab: CrossTable,
  truth: Side,
): (ClassErrors & { label: number })[] {
  const labels = [...differingByClass(crosstab).keys()];
  const wrong = ({ falsePositives, falseNegatives }: ClassErrors) =>
    falsePositives + falseNegatives;
  return labels
    .map((label) => ({ label, ...classErrors(crosstab, truth, label) }))
    .sort((a, b) => wrong(b) - wrong(a) || a.label - b.label);
}
