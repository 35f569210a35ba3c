// Filters, sorts and traces the rows that a page holds (src/imd_widget/export/html_rows.py), as the kernel does in a notebook.

import type { DiffView, PageRows, Request, RowsPage, Sort, Trace } from "../protocol/types";
import { count } from "../text/format";

export type RowsRequest = Extract<Request, { kind: "rows" }>;
export type CsvRequest = Extract<Request, { kind: "csv" }>;
/** What both ask about. */
type Selected = Pick<RowsRequest, "rules" | "node" | "sort" | "differing">;

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
function isSelected({ rules, node }: Selected, view: DiffView, pair: [string, string]): boolean {
  if (node && rules.length === 0) return pair.some((leaf) => leaf.startsWith(node));
  const differing = () => view.rules.filter(({ agrees }) => !agrees);
  const some = rules.length > 0 ? rules : differing().map(({ number }) => number);
  return some.some((rule) => view.rules[rule]?.leaves.some(isPair(pair)));
}

/** Indices of the columns: outputs, truth and distance, those in the conditions of the selection, the others. */
function columnOrder(
  { rules, node }: Selected,
  { view, held }: PageStep,
): { columns: number[]; lead: number } {
  const asked =
    rules.length > 0
      ? rules.flatMap((rule) => view.rules[rule]?.conditions.map((c) => c.position) ?? [])
      : view.nodes
          .filter(({ id }) => id !== node && node.startsWith(id))
          .flatMap(({ position }) => position ?? []);
  // A place beyond the columns is what a given model says, which is listed anyway.
  const first = [...new Set(asked)]
    .map((position) => held.lead + position)
    .filter((i) => i < held.columns.length);
  const all = held.columns.map((_, i) => i);
  const rest = all.slice(held.lead).filter((i) => !first.includes(i));
  const columns = [...first, ...all.slice(0, held.lead), ...rest];
  return { columns, lead: held.lead + first.length };
}

/** Rows of the whole table in the selection, whether the page holds them or not. */
function selectedTotal(request: Selected, { view, sizes }: PageStep): number {
  return sizes
    .filter(([one, two]) => isSelected(request, view, [one, two]))
    .reduce((sum, [, , rows, differ]) => sum + (request.differing ? differ : rows), 0);
}

function selectedRows(request: Selected, page: PageStep, columns: number[]): number[] {
  const { held, view, leaves } = page;
  const { sort, differing } = request;
  const rows = held.positions
    .map((_, row) => row)
    .filter((row) => isSelected(request, view, leaves[row] as [string, string]))
    .filter((row) => !differing || held.differs[row]);
  return sort ? sorted(rows, held.ranks[columns[sort.column] as number] ?? [], sort) : rows;
}

/** The whole texts of the rows shown, by their places in the listing. */
function wholeOf(held: PageRows, shown: number[], columns: number[]): [number, number, string][] {
  return held.whole.flatMap(([row, column, text]) => {
    const [at, listed] = [shown.indexOf(row), columns.indexOf(column)];
    return at < 0 || listed < 0 ? [] : [[at, listed, text] satisfies [number, number, string]];
  });
}

export function rowsOfPage(request: RowsRequest, page: PageStep): RowsPage {
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
    roles: columns.map((i) => held.roles[i] ?? "column"),
    lead,
    positions: shown.map((row) => held.positions[row] as number),
    labels: shown.map((row) => held.labels[row] as string),
    cells: shown.map((row) => columns.map((i) => held.cells[row]?.[i] ?? "")),
    differs: shown.map((row) => held.differs[row] as boolean),
    whole: wholeOf(held, shown, columns),
    ...(number < held.total && {
      note: `Saved in this page: a random sample of ${count(number)} of ${count(held.total)} rows.`,
    }),
  };
}

/** A field of CSV: in quotes if it holds a comma, a quote or a line break. */
const quoted = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A name that is not taken, as `rows_as_csv` of Python makes it. */
function otherName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? otherName(`${name} (of the diff)`, taken) : name;
}

/** The rows of a selection that the page holds, as the kernel writes them: row number first. */
export function csvOfPage(request: CsvRequest, page: PageStep): string {
  const { held } = page;
  const { columns } = columnOrder(request, page);
  const named = columns.map((i) => ({ name: held.columns[i] as string, role: held.roles[i] }));
  const taken = new Set(named.filter(({ role }) => role === "column").map(({ name }) => name));
  const names = named.map(({ name, role }) => (role === "column" ? name : otherName(name, taken)));
  const whole = new Map(held.whole.map(([row, column, text]) => [`${row},${column}`, text]));
  const lines = selectedRows(request, page, columns).map((row) => [
    String(held.positions[row]),
    ...columns.map((i) => {
      const text = whole.get(`${row},${i}`) ?? held.cells[row]?.[i] ?? "";
      // "missing" in a cell is a word of ours; a file leaves such a cell empty.
      return held.ranks[i]?.[row] === -1 ? "" : text;
    }),
  ]);
  const all = [[otherName("row", new Set(names)), ...names], ...lines];
  return `${all.map((fields) => fields.map(quoted).join(",")).join("\n")}\n`;
}

export function traceOfPage(position: number, { held, view, leaves }: PageStep): Trace {
  const row = held.positions.indexOf(position);
  const pair = leaves[row];
  if (!pair) throw new Error("That row is not saved in this page.");
  const said = (id: string) => view.nodes.find((node) => node.id === id)?.said ?? "";
  return {
    row: position,
    label: held.labels[row] as string,
    nodes: view.nodes.map(({ id }) => id).filter((id) => pair.some((leaf) => leaf.startsWith(id))),
    said: held.said[row] as [string, string],
    surrogate: [said(pair[0]), said(pair[1])],
    rules: view.rules
      .filter(({ agrees, leaves }) => !agrees && leaves.some(isPair(pair)))
      .map(({ number }) => number),
    differs: held.differs[row] as boolean,
  };
}
