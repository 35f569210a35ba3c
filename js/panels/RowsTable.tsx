import type { RowsView, Sort, TraceView } from "../protocol/types";
import { Button } from "../ui/Button";

interface RowsTableProps {
  rows: RowsView;
  sort: Sort | null;
  traced: TraceView | null;
  onSort: (column: number) => void;
  onTrace: (row: number) => void;
}

/** One page of rows; a click on a row follows it through the tree. */
export function RowsTable({ rows, sort, traced, onSort, onTrace }: RowsTableProps) {
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
                <Button data-sort={i} title={`Sort by ${name}`} onClick={() => onSort(i)}>
                  <span>{name}</span>
                  {by && <i aria-hidden="true">{by === "ascending" ? "▲" : "▼"}</i>}
                </Button>
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
                <Button
                  aria-pressed={position === traced?.row}
                  title={`Follow row ${label} through both models${differs ? "; they differ on it" : ""}`}
                >
                  {label}
                  {differs && " ≠"}
                </Button>
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
