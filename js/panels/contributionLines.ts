// The lines of the chart of contributions, and where its bars are drawn.

import type { ContributionsView, ContributionView } from "../protocol/types";

/** A line of the chart: contributions of a column, or the scores that they begin or end at. */
export interface ContributionLine {
  name: string;
  value?: string | null;
  first: number;
  second: number;
  difference: number;
  /** Standard error of the difference; null if it has none. */
  error: number | null;
  /**
   * "size": mean absolute contributions, which have no sign. "base" and "sum": the scores that
   * contributions begin and end at.
   */
  kind: "column" | "size" | "base" | "sum";
  /** The numbers of both models and of the difference as they are written: rounded so that they add up. */
  printed?: readonly number[];
}

export const isScore = (kind: ContributionLine["kind"]) => kind === "base" || kind === "sum";

const lineOf = ({ column, ...numbers }: ContributionView): ContributionLine => ({
  ...numbers,
  name: column,
  kind: "column",
});

/** The first columns by mean absolute contribution, where contributions average out. */
export const sizeLines = ({ columns }: ContributionsView, most: number): ContributionLine[] =>
  columns.slice(0, most).map(({ column, size: [first = 0, second = 0, difference = 0] }) => ({
    name: column,
    first,
    second,
    difference,
    error: null,
    kind: "size",
  }));

/** The first columns, and all others together. */
export function columnLines(
  { columns, others }: ContributionsView,
  most: number,
): ContributionLine[] {
  const own = columns.slice(0, most).map(lineOf);
  const rest = [...columns.slice(most), ...(others ? [others] : [])];
  const sum = (key: "first" | "second" | "difference") =>
    rest.reduce((total, one) => total + one[key], 0);
  if (rest.length === 0) return own;
  const [only] = rest;
  if (rest.length === 1 && only) return [...own, lineOf(only)];
  const [first, second, difference] = [sum("first"), sum("second"), sum("difference")];
  const printed = [0, 1, 2].map((at) =>
    rest.reduce((total, one) => total + (one.printed[at] ?? 0), 0),
  );
  return [
    ...own,
    { name: "all other columns", first, second, difference, error: null, kind: "column", printed },
  ];
}

/** Where the sum begins: the mean scores on all rows. */
export const baseLine = ({
  base,
  base_gap,
  printed_base,
}: ContributionsView): ContributionLine => ({
  name: "mean of all rows",
  first: base[0],
  second: base[1],
  difference: base_gap,
  error: null,
  kind: "base",
  printed: printed_base,
});

/** Where it ends: the mean scores on the rows explained, or the scores of the row. */
export const levelLine = (
  { level, gap, printed_level }: ContributionsView,
  name: string,
): ContributionLine => ({
  name,
  first: level[0],
  second: level[1],
  difference: gap,
  error: null,
  kind: "sum",
  printed: printed_level,
});

/** A place in percent of the width, from a number. */
export type Place = (value: number) => number;

/** A scale that holds all these numbers. */
export function scaleFrom(values: readonly number[]): Place {
  const low = Math.min(...values);
  const high = Math.max(...values);
  return (value) => 1 + (98 * (value - low)) / (high - low || 1);
}

/** One scale for all bars and whiskers, with 0 on it. The base has a bar of the difference only, the sum none. */
export const barScale = (lines: readonly ContributionLine[]): Place =>
  scaleFrom([
    0,
    ...lines.flatMap(({ kind, first, second, difference, error }) => {
      const own = [difference - (error ?? 0), difference + (error ?? 0)];
      return kind === "sum" ? [] : kind === "base" ? own : [first, second, ...own];
    }),
  ]);

export interface Step {
  from: number;
  to: number;
}

/** By line and model: the score before the column and after it, one column after the other. */
export function stepsOf(lines: readonly ContributionLine[]): [Step, Step][] {
  const at: [number, number] = [0, 0];
  return lines.map(({ kind, first, second }) => {
    const own = ([first, second] as const).map((value, side) => {
      const from = isScore(kind) ? value : (at[side] ?? 0);
      const to = isScore(kind) ? value : from + value;
      at[side] = to;
      return { from, to };
    });
    return own as [Step, Step];
  });
}
