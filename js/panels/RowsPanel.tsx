// The rows of the selection, a page at a time. They stay in the kernel; only the page shown is here.

import { useRef, useState } from "preact/hooks";
import { unavailableReason } from "../host/host";
import type { CsvRequest, Role, RowsPage, Sort, Work } from "../protocol/types";
import { useDiff, useWidget } from "../state/context";
import { usePanelState } from "../state/usePanelState";
import { type Query, useQuery } from "../state/useQuery";
import { count, plural } from "../text/format";
import { whereOf } from "../text/location";
import { ActionButton } from "../ui/ActionButton";
import { Button } from "../ui/Button";
import { ErrorBox } from "../ui/ErrorBox";
import type { PanelProps } from "./panelProps";
import { RowReader } from "./RowReader";
import { RowsTable } from "./RowsTable";
import { wordsByColumn } from "./rowTexts";
import "./RowsPanel.css";

const PAGE = 50;

type RowsWork = Extract<Work, { kind: "rows" }>;

interface Page {
  start: number;
  sort: Sort | null;
  differing: boolean;
  /** The selection whose rows these are: another one begins at the top, in the table's order. */
  of: string;
}
const FIRST_PAGE: Page = { start: 0, sort: null, differing: false, of: "" };

const selectionKey = ({ rules, node }: Pick<RowsWork, "rules" | "node">) =>
  JSON.stringify([rules, node]);

/** "4,686 rows"; on an exported page, which holds some of them, "29 of 4,686 rows". */
function howMany({ total, of }: RowsPage): string {
  const all = plural(of ?? total, "row");
  return of === undefined || of === total ? all : `${count(total)} of ${all}`;
}

/** Ascending, then descending, then in the table's order; for a distance descending first. */
function nextSort(sort: Sort | null, column: number, role: Role | undefined): Sort | null {
  const first = role === "distance";
  if (sort?.column !== column) return { column, descending: first };
  return sort.descending === first ? { column, descending: !first } : null;
}

export function RowsPanel({ selection }: PanelProps) {
  const { host, state, view } = useDiff();
  const { node, rules } = selection;
  const { kernel, traced } = state;
  const [page, setPage] = usePanelState("rows", FIRST_PAGE);
  const selected = { rules: [...rules], node: node?.id ?? "" };
  const of = selectionKey(selected);
  const { differing } = page;
  const { start, sort } = page.of === of ? page : FIRST_PAGE;
  const go = (change: Partial<Page>) => setPage({ start: 0, sort, differing, of, ...change });
  const work: RowsWork = { kind: "rows", ...selected, start, count: PAGE, sort, differing };
  const lack = view.lacks?.rows;
  const available = (lack ?? kernel.unavailable) === null;
  const query = useQuery(host, work, view, available);
  const { answered, busy, error } = query;
  const [read, setRead] = useState<number | null>(null);
  const rows = query.answer?.rows ?? null;

  if (!available)
    return (
      <p class="imd-empty imd-scroll" data-testid="imd-no-rows">
        {lack ?? `Rows need the kernel. ${kernel.unavailable}`}
      </p>
    );
  const where = whereOf(rules, node, "inside any rule");
  const words = rows ? wordsByColumn(rows, view, rules) : [];
  const reading = rows && read !== null ? rows.positions.indexOf(read) : -1;
  const follow = (row: number) => query.run(() => host.trace(row === traced?.row ? null : row));
  return (
    <>
      <div class="imd-panel-head">
        <h3 data-testid="imd-rows-title">
          {rows && answered && selectionKey(answered) === of ? howMany(rows) : "Rows"}
          <span title={where}> {where}</span>
        </h3>
        <Button
          class="imd-toggle"
          data-testid="imd-differing"
          aria-pressed={differing}
          onClick={() => go({ differing: !differing })}
        >
          <i aria-hidden="true" />
          Only differing rows
        </Button>
      </div>
      {error !== null && (
        <ErrorBox id="imd-rows-error" error={error}>
          <Button onClick={query.retry}>Try again</Button>
        </ErrorBox>
      )}
      {rows && reading >= 0 ? (
        <RowReader
          rows={rows}
          at={reading}
          words={words}
          onMove={(at) => setRead(rows.positions[at] ?? null)}
          onClose={() => setRead(null)}
        />
      ) : rows && rows.total > 0 ? (
        <div class={busy ? "imd-rows is-busy" : "imd-rows"}>
          <RowsTable
            rows={rows}
            words={words}
            onRead={(at) => setRead(rows.positions[at] ?? null)}
            sort={sort}
            traced={traced}
            onTrace={follow}
            onSort={(column) => go({ sort: nextSort(sort, column, rows.roles?.[column]) })}
          />
        </div>
      ) : (
        <p class="imd-empty imd-rows">{rows && !busy && "No rows"}</p>
      )}
      {rows && rows.total > 0 && reading < 0 && (
        <SaveRows rows={rows} selected={{ ...selected, sort, differing }} />
      )}
      {reading < 0 && <Pager query={query} start={start} onStart={(to) => go({ start: to })} />}
    </>
  );
}

interface SaveRowsProps {
  rows: RowsPage;
  selected: Omit<CsvRequest, "kind">;
}

/** Saves all rows of the selection, not only the page that is shown. */
function SaveRows({ rows, selected }: SaveRowsProps) {
  const { state, work } = useWidget();
  const near = useRef<HTMLDivElement>(null);
  return (
    <div class="imd-save-rows" ref={near}>
      <ActionButton
        id="imd-csv"
        disabledReason={unavailableReason(state, "csv") ?? (work.busy ? "Working…" : null)}
        busy={work.busy === "csv"}
        title={`Download ${plural(rows.total, "row")}, in this order, as rows.csv`}
        onClick={() => near.current && work.saveRows(selected, near.current)}
      >
        {work.busy === "csv" ? "Saving…" : "Save rows as CSV"}
      </ActionButton>
    </div>
  );
}

interface PagerProps {
  query: Query<RowsWork>;
  start: number;
  onStart: (start: number) => void;
}

function Pager({ query, start, onStart }: PagerProps) {
  const { kernel } = useDiff().state;
  const rows = query.answer?.rows ?? null;
  const last = rows ? rows.start + rows.positions.length : 0;
  const hasNext = rows !== null && start + PAGE < rows.total;
  return (
    <div class="imd-pager">
      <Button
        data-testid="imd-previous"
        aria-disabled={start === 0}
        onClick={() => start > 0 && onStart(Math.max(0, start - PAGE))}
      >
        Previous
      </Button>
      <span role="status" data-testid="imd-rows-status">
        {query.busy
          ? kernel.busy
            ? "The kernel is busy; waiting for it"
            : "Loading…"
          : rows &&
            rows.total > 0 &&
            `rows ${count(rows.start + 1)}-${count(last)} of ${count(rows.total)}`}
        {rows?.note && <em>{rows.note}</em>}
      </span>
      <Button
        data-testid="imd-next"
        aria-disabled={!hasNext}
        onClick={() => hasNext && onStart(start + PAGE)}
      >
        Next
      </Button>
    </div>
  );
}
