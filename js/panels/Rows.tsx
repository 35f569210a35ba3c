// The rows of the selection, a page at a time. They live in the kernel: nothing is kept but what is shown.

import { useEffect, useState } from "preact/hooks";
import type { Host } from "../host/host";
import type { KernelState } from "../host/store";
import type { DiffView, NodeView, RowsView, Sort, TraceView } from "../protocol/types";
import { count, plural } from "../text/format";
import { messageOf } from "../text/messageOf";
import { placeOf } from "./Rules";

const PAGE = 50;

export interface Page {
  start: number;
  sort: Sort | null;
  differing: boolean;
  /** What these are rows of: another selection begins at the top, in the table's order. */
  of: string;
}
export const FIRST_PAGE: Page = { start: 0, sort: null, differing: false, of: "" };

export interface RowsProps {
  host: Host;
  kernel: KernelState;
  view: DiffView;
  node: NodeView | null;
  rules: readonly number[];
  traced: TraceView | null;
  page: Page;
  onPage: (page: Page) => void;
}

interface Shown {
  rows: RowsView | null;
  /** What they are rows of. */
  of: string;
  busy: boolean;
  error: string | null;
}

function whereOf(rules: readonly number[], node: NodeView | null): string {
  if (rules.length > 0) return `inside ${rules.length > 1 ? "rules" : "rule"} ${rules.join(", ")}`;
  return node ? placeOf(node) : "inside any rule";
}

/** "4,686 rows"; of a page that brings some of them along "29 of 4,686 rows". */
function howMany({ total, of }: RowsView): string {
  const all = plural(of ?? total, "row");
  return of === undefined || of === total ? all : `${count(total)} of ${all}`;
}

/** Up, down, not at all. */
function nextSort(sort: Sort | null, column: number): Sort | null {
  if (sort?.column !== column) return { column, descending: false };
  return sort.descending ? null : { column, descending: true };
}

export function Rows({ host, kernel, view, node, rules, traced, page, onPage }: RowsProps) {
  const [shown, setShown] = useState<Shown>({ rows: null, of: "", busy: true, error: null });
  const [again, setAgain] = useState(0);
  const of = JSON.stringify([rules, node?.id ?? ""]);
  const { differing } = page;
  const { start, sort } = page.of === of ? page : FIRST_PAGE;
  const go = (change: Partial<Page>) => onPage({ start: 0, sort, differing, of, ...change });
  const { rows, busy, error } = shown;
  const lack = view.lacks?.rows;
  const off = lack ?? kernel.off;

  useEffect(() => {
    if (off !== null) return;
    let current = true;
    const stale = new AbortController();
    setShown((now) => ({ ...now, busy: true, error: null }));
    const done = (found: Partial<Shown>) =>
      current && setShown((now) => ({ ...now, busy: false, ...found }));
    host
      .ask(
        {
          kind: "rows",
          rules: [...rules],
          node: node?.id ?? "",
          start,
          count: PAGE,
          sort,
          differing,
        },
        stale.signal,
      )
      .then(
        (answer) => done({ rows: answer.rows, of }),
        (problem) => done({ error: messageOf(problem) }),
      );
    return () => {
      current = false;
      stale.abort();
    };
  }, [host, off, view, of, start, sort?.column, sort?.descending, differing, again]);

  if (off !== null)
    return (
      <p class="imd-empty imd-scroll" data-testid="imd-no-rows">
        {lack ?? `Rows come from the kernel. ${kernel.off}`}
      </p>
    );

  const trace = async (row: number) => {
    setShown((now) => ({ ...now, busy: true, error: null }));
    let problem: string | null = null;
    try {
      await host.trace(row === traced?.row ? null : row);
    } catch (thrown) {
      problem = messageOf(thrown);
    }
    setShown((now) => ({ ...now, busy: false, error: problem }));
  };
  const last = rows ? rows.start + rows.positions.length : 0;
  const where = whereOf(rules, node);
  return (
    <>
      <div class="imd-panel-head">
        <h3 data-testid="imd-rows-title">
          {rows && shown.of === of ? howMany(rows) : "Rows"}
          <span title={where}> {where}</span>
        </h3>
        <button
          type="button"
          class="imd-toggle"
          data-testid="imd-differing"
          aria-pressed={differing}
          onClick={() => go({ differing: !differing })}
        >
          <i aria-hidden="true" />
          Only rows that differ
        </button>
      </div>
      {error !== null && (
        <div class="imd-error" role="alert" data-testid="imd-rows-error">
          <span>{error}</span>
          <button type="button" onClick={() => setAgain(again + 1)}>
            Try again
          </button>
        </div>
      )}
      {rows && rows.total > 0 ? (
        <div class={busy ? "imd-rows is-busy" : "imd-rows"}>
          <Table
            rows={rows}
            sort={sort}
            traced={traced}
            onTrace={trace}
            onSort={(column) => go({ sort: nextSort(sort, column) })}
          />
        </div>
      ) : (
        <p class="imd-empty imd-rows">{rows && !busy && "No row is here."}</p>
      )}
      <div class="imd-pager">
        <button
          type="button"
          data-testid="imd-previous"
          aria-disabled={start === 0}
          onClick={() => start > 0 && go({ start: Math.max(0, start - PAGE) })}
        >
          Previous
        </button>
        <span role="status" data-testid="imd-rows-status">
          {busy
            ? kernel.busy
              ? "The kernel is busy: rows come when it is free"
              : "Asking the kernel…"
            : rows &&
              rows.total > 0 &&
              `rows ${count(rows.start + 1)}-${count(last)} of ${count(rows.total)}`}
          {rows?.note && <em>{rows.note}</em>}
        </span>
        <button
          type="button"
          data-testid="imd-next"
          aria-disabled={!rows || start + PAGE >= rows.total}
          onClick={() => rows && start + PAGE < rows.total && go({ start: start + PAGE })}
        >
          Next
        </button>
      </div>
    </>
  );
}

interface TableProps {
  rows: RowsView;
  sort: Sort | null;
  traced: TraceView | null;
  onSort: (column: number) => void;
  onTrace: (row: number) => void;
}

function Table({ rows, sort, traced, onSort, onTrace }: TableProps) {
  const edge = (column: number) => (column === rows.lead - 1 ? "is-lead" : undefined);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">row</th>
          {rows.columns.map((name, i) => {
            const by = sort?.column === i ? (sort.descending ? "descending" : "ascending") : null;
            return (
              <th key={i} scope="col" class={edge(i)} aria-sort={by ?? "none"}>
                <button
                  type="button"
                  data-sort={i}
                  title={`Sort by ${name}`}
                  onClick={() => onSort(i)}
                >
                  <span>{name}</span>
                  {by && <i aria-hidden="true">{by === "ascending" ? "▲" : "▼"}</i>}
                </button>
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {rows.positions.map((position, i) => {
          const label = rows.labels[i];
          const differs = rows.differs[i];
          return (
            <tr
              key={position}
              data-row={position}
              class={position === traced?.row ? "is-selected" : undefined}
              onClick={() => onTrace(position)}
            >
              <th scope="row">
                <button
                  type="button"
                  aria-pressed={position === traced?.row}
                  title={`Follow row ${label} through both models${differs ? "; they differ on it" : ""}`}
                >
                  {label}
                  {differs && " ≠"}
                </button>
              </th>
              {rows.cells[i]?.map((text, column) => (
                <td key={column} class={edge(column)} title={text}>
                  {text}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
