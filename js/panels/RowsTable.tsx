import type { Role, RowsView, Sort, TraceView } from "../protocol/types";
import { Button } from "../ui/Button";

interface RowsTableProps {
  rows: RowsView;
  sort: Sort | null;
  traced: TraceView | null;
  onSort: (column: number) => void;
  onTrace: (row: number) => void;
}

/** What stands beside the name of a listed column that is no column of the table: names may be the same. */
const TAGS: Partial<Record<Role, string>> = {
  output1: "says",
  output2: "says",
  truth: "truth",
  distance: "distance",
};

const WORDS: Record<Role, (name: string) => string> = {
  output1: (name) => `what ${name} says`,
  output2: (name) => `what ${name} says`,
  truth: () => "the ground truth",
  distance: () => "how far apart the two outputs are",
  column: (name) => `the column ${name}`,
};

/** One page of rows; a click on a row follows it through the tree. */
export function RowsTable({ rows, sort, traced, onSort, onTrace }: RowsTableProps) {
  const roles = rows.columns.map((_, i): Role => rows.roles?.[i] ?? "column");
  // A line after what the models say, and one after the columns that the selection asks about.
  const told = roles.filter((role) => role !== "column").length;
  const edge = (column: number) => {
    if (column === rows.lead - 1) return "is-lead";
    return column === told - 1 ? "is-told" : undefined;
  };
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">row</th>
          {rows.columns.map((name, i) => (
            <Head
              key={i}
              name={name}
              role={roles[i] ?? "column"}
              edge={edge(i)}
              by={sort?.column === i ? (sort.descending ? "descending" : "ascending") : null}
              column={i}
              onSort={onSort}
            />
          ))}
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
                  title={`Follow row ${label}${label === String(position) ? "" : ` (number ${position})`} through both models${differs ? "; they differ on it" : ""}`}
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

interface HeadProps {
  name: string;
  role: Role;
  edge: string | undefined;
  by: "ascending" | "descending" | null;
  column: number;
  onSort: (column: number) => void;
}

function Head({ name, role, edge, by, column, onSort }: HeadProps) {
  const tag = TAGS[role];
  return (
    <th scope="col" class={edge} aria-sort={by ?? "none"} data-role={role}>
      <Button
        data-sort={column}
        title={`Sort by ${WORDS[role](name)}`}
        onClick={() => onSort(column)}
      >
        <span>{name}</span>
        {tag && tag !== name && <small class="imd-tag">{tag}</small>}
        {by && <i aria-hidden="true">{by === "ascending" ? "▲" : "▼"}</i>}
      </Button>
    </th>
  );
}
