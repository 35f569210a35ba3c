// Filters, sorts and traces the rows that a page holds (src/imd_widget/export/html_rows.py), as the kernel does in a notebook.

import type { DiffView, PageRows, Request, RowsView, Sort, TraceView } from "../protocol/types";
import { count } from "../text/format";

export type RowsRequest = Extract<Request, { kind: "rows" }>;

/** The rows of a page, seen at one refinement step. */
export interface PageStep {
  held: PageRows;
  view: DiffView;
  leaves: [string, string][];
  sizes: [string, string, number, number][];
}

export const pageStep = (held: PageRows, view: DiffView, step: number): PageStep => ({
  held,
  view,
  leaves: held.leaves[step] ?? [],
  sizes: held.sizes[step] ?? [],
});

/** Rows without a value come last in either direction; equal rows keep their order. */
function sorted(rows: number[], ranks: number[], { descending }: Sort): number[] {
  const key = (row: number) => {
    const rank = ranks[row] as number;
    return rank < 0 ? Number.POSITIVE_INFINITY : descending ? -rank : rank;
  };
  return [...rows].sort((one, two) => (key(one) < key(two) ? -1 : Number(key(one) > key(two))));
}

const isPair = (pair: readonly [string, string]) => (other: readonly [string, string]) =>
  other[0] === pair[0] && other[1] === pair[1];

/** Whether rows that reach this pair of leaves belong to the selection; without one, to any rule. */
function isSelected({ rules, node }: RowsRequest, view: DiffView, pair: [string, string]): boolean {
  if (node && rules.length === 0) return pair.some((leaf) => leaf.startsWith(node));
  const some = rules.length > 0 ? rules : view.rules.map(({ number }) => number);
  return some.some((rule) => view.rules[rule]?.leaves.some(isPair(pair)));
}

/** Indices of the columns: those in the conditions of the selection, then the outputs, then the others. */
function columnOrder(
  { rules, node }: RowsRequest,
  { view, held }: PageStep,
): { columns: number[]; lead: number } {
  const asked =
    rules.length > 0
      ? rules.flatMap((rule) => view.rules[rule]?.conditions.map((c) => c.position) ?? [])
      : view.nodes
          .filter(({ id }) => id !== node && node.startsWith(id))
          .flatMap(({ position }) => position ?? []);
  const first = [...new Set(asked)].map((position) => held.lead + position);
  const rest = held.columns.map((_, i) => i).filter((i) => !first.includes(i));
  return { columns: [...first, ...rest], lead: first.length + held.lead };
}

/** Rows of the whole table in the selection, whether the page holds them or not. */
function selectedTotal(request: RowsRequest, { view, sizes }: PageStep): number {
  return sizes
    .filter(([one, two]) => isSelected(request, view, [one, two]))
    .reduce((sum, [, , rows, differ]) => sum + (request.differing ? differ : rows), 0);
}

function selectedRows(request: RowsRequest, page: PageStep, columns: number[]): number[] {
  const { held, view, leaves } = page;
  const { sort, differing } = request;
  const rows = held.positions
    .map((_, row) => row)
    .filter((row) => isSelected(request, view, leaves[row] as [string, string]))
    .filter((row) => !differing || held.differs[row]);
  return sort ? sorted(rows, held.ranks[columns[sort.column] as number] ?? [], sort) : rows;
}

export function rowsOfPage(request: RowsRequest, page: PageStep): RowsView {
  const { held } = page;
  const { columns, lead } = columnOrder(request, page);
  const rows = selectedRows(request, page, columns);
  const shown = rows.slice(request.start, request.start + request.count);
  const number = held.positions.length;
  return {
    total: rows.length,
    of: selectedTotal(request, page),
    start: request.start,
    columns: columns.map((i) => held.columns[i] as string),
    lead,
    positions: shown.map((row) => held.positions[row] as number),
    labels: shown.map((row) => held.labels[row] as string),
    cells: shown.map((row) => columns.map((i) => held.cells[row]?.[i] ?? "")),
    differs: shown.map((row) => held.differs[row] as boolean),
    ...(number < held.total && {
      note: `This page holds ${count(number)} of ${count(held.total)} rows, drawn at random.`,
    }),
  };
}

export function traceOfPage(position: number, { held, view, leaves }: PageStep): TraceView {
  const row = held.positions.indexOf(position);
  const pair = leaves[row];
  if (!pair) throw new Error("This page does not hold that row.");
  const said = (id: string) => view.nodes.find((node) => node.id === id)?.said ?? "";
  return {
    row: position,
    label: held.labels[row] as string,
    nodes: view.nodes.map(({ id }) => id).filter((id) => pair.some((leaf) => leaf.startsWith(id))),
    said: held.said[row] as [string, string],
    surrogate: [said(pair[0]), said(pair[1])],
    rules: view.rules.filter(({ leaves }) => leaves.some(isPair(pair))).map((r) => r.number),
    differs: held.differs[row] as boolean,
  };
}
