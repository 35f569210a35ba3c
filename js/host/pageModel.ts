// What a kernel does in a notebook, a page does with what it brought along: refinement steps that were worked out
// beforehand (src/imd_widget/export/html.py), and some rows of the table (src/imd_widget/export/html_rows.py).

import { type SentView, unpack } from "../protocol/codec";
import type {
  Answer,
  DiffView,
  Request,
  RowsView,
  Sort,
  TraceView,
  WidgetState,
} from "../protocol/types";
import { count } from "../text/format";
import type { Model } from "./host";
import { createMemoryModel } from "./memoryModel";

/** Rows as they travel: columns in the order of the page's own list, the two outputs first. */
export interface PageRows {
  /** Rows of the whole table. */
  total: number;
  /** The two outputs, perhaps the truth, then the columns of the table. */
  columns: string[];
  /** How many of these are not columns of the table. */
  lead: number;
  positions: number[];
  labels: string[];
  cells: string[][];
  /** By column, then by row: its place in the order of the column's values; -1 where there is none. */
  ranks: number[][];
  differs: boolean[];
  /** What either model says of it, in words. */
  said: [string, string][];
  /** For each step, for each row: the leaves that it reaches. */
  leaves: [string, string][][];
  /** For each step: pairs of leaves, and how many rows of the whole table reach them, and how many of these differ. */
  sizes: [string, string, number, number][][];
}

export type PageData = Omit<WidgetState, "view"> & {
  /** The views after 0, 1, ... steps, and which of them is shown first. */
  steps: SentView[];
  at: number;
  rows: PageRows | null;
};

type RowsRequest = Extract<Request, { kind: "rows" }>;

/** What is missing comes last, whichever way; equals stay as they are. */
function sorted(rows: number[], ranks: number[], { descending }: Sort): number[] {
  const key = (row: number) => {
    const rank = ranks[row] as number;
    return rank < 0 ? Number.POSITIVE_INFINITY : descending ? -rank : rank;
  };
  return [...rows].sort((one, two) => (key(one) < key(two) ? -1 : Number(key(one) > key(two))));
}

const isPair = (pair: readonly [string, string]) => (other: readonly [string, string]) =>
  other[0] === pair[0] && other[1] === pair[1];

export function createPageModel(data: PageData): Model {
  const { steps, rows, ...state } = data;
  const views: (DiffView | undefined)[] = [];
  const viewAt = (step: number): DiffView => {
    views[step] ??= unpack(steps[step] as SentView);
    return views[step];
  };
  let at = data.at;

  const answer = (message: Answer) => model.tell(message);
  const model = createMemoryModel({ ...state, view: viewAt(at) }, (request) => {
    try {
      answer({ id: request.id, ...answerTo(request) });
    } catch (error) {
      answer({ id: request.id, error: error instanceof Error ? error.message : String(error) });
    }
  });

  const show = (step: number) => {
    const view = viewAt(step);
    at = step;
    // numbers of rules mean nothing in another view, ids of nodes do
    model.set("selected_rules", []);
    model.set("traced", null);
    const node = model.get("selected_node");
    if (node && !view.nodes.some(({ id }) => id === node)) model.set("selected_node", "");
    model.set("view", view);
  };

  const inside = ({ rules, node }: RowsRequest, pair: [string, string]): boolean => {
    if (node && rules.length === 0) return pair.some((leaf) => leaf.startsWith(node));
    const some = rules.length > 0 ? rules : viewAt(at).rules.map(({ number }) => number);
    return some.some((rule) => viewAt(at).rules[rule]?.leaves.some(isPair(pair)));
  };

  /** Columns that the selection speaks of come first, then the outputs, then the others. */
  const order = ({ rules, node }: RowsRequest, held: PageRows): [number[], number] => {
    const view = viewAt(at);
    const asked =
      rules.length > 0
        ? rules.flatMap((rule) => view.rules[rule]?.conditions.map((c) => c.position) ?? [])
        : view.nodes
            .filter(({ id }) => id !== node && node.startsWith(id))
            .flatMap(({ position }) => position ?? []);
    const places = [...new Set(asked)].map((position) => held.lead + position);
    const rest = held.columns.map((_, i) => i).filter((i) => !places.includes(i));
    return [[...places, ...rest], places.length + held.lead];
  };

  const rowsFor = (request: RowsRequest, held: PageRows): RowsView => {
    const leaves = held.leaves[at] ?? [];
    const [columns, lead] = order(request, held);
    const cell = (row: number, column: number) =>
      held.cells[row]?.[columns[column] as number] ?? "";
    let found = held.positions.map((_, row) => row);
    found = found.filter((row) => inside(request, leaves[row] as [string, string]));
    if (request.differing) found = found.filter((row) => held.differs[row]);
    const { sort, start } = request;
    if (sort) found = sorted(found, held.ranks[columns[sort.column] as number] ?? [], sort);
    const shown = found.slice(start, start + request.count);
    const number = held.positions.length;
    const of = (held.sizes[at] ?? [])
      .filter(([one, two]) => inside(request, [one, two]))
      .reduce((sum, [, , rows, differ]) => sum + (request.differing ? differ : rows), 0);
    return {
      total: found.length,
      of,
      start,
      columns: columns.map((i) => held.columns[i] as string),
      lead,
      positions: shown.map((row) => held.positions[row] as number),
      labels: shown.map((row) => held.labels[row] as string),
      cells: shown.map((row) => columns.map((_, i) => cell(row, i))),
      differs: shown.map((row) => held.differs[row] as boolean),
      ...(number < held.total && {
        note: `This page holds ${count(number)} of ${count(held.total)} rows, drawn at random.`,
      }),
    };
  };

  const traceOf = (position: number, held: PageRows): TraceView => {
    const view = viewAt(at);
    const row = held.positions.indexOf(position);
    const pair = held.leaves[at]?.[row];
    if (!pair) throw new Error("This page does not hold that row.");
    const said = (id: string) => view.nodes.find((node) => node.id === id)?.said ?? "";
    return {
      row: position,
      label: held.labels[row] as string,
      nodes: view.nodes
        .map(({ id }) => id)
        .filter((id) => pair.some((leaf) => leaf.startsWith(id))),
      said: held.said[row] as [string, string],
      surrogate: [said(pair[0]), said(pair[1])],
      rules: view.rules.filter(({ leaves }) => leaves.some(isPair(pair))).map((r) => r.number),
      differs: held.differs[row] as boolean,
    };
  };

  const answerTo = (request: Request): Partial<Answer> => {
    const reason = viewAt(at).lacks[request.kind];
    if (reason !== undefined) throw new Error(reason);
    if (request.kind === "refine" || request.kind === "undo") {
      show(Math.min(steps.length - 1, Math.max(0, at + (request.kind === "refine" ? 1 : -1))));
    } else if (request.kind === "rows" && rows) return { rows: rowsFor(request, rows) };
    else if (request.kind === "trace" && rows) model.set("traced", traceOf(request.row, rows));
    return {};
  };

  return model;
}
