import type { Role, RowsPage, Sort, Trace } from "../protocol/types";
import { excerpt } from "../text/words";
import { Button } from "../ui/Button";
import { Marked } from "./Marked";
import { hasLongText, wholeText } from "./rowTexts";

/** Characters of an excerpt: a cell shows fewer, its tooltip all. */
const LONGEST = 200;

interface RowsTableProps {
  rows: RowsPage;
  /** For each listed column, the words to mark. */
  words: readonly (readonly string[])[];
  sort: Sort | null;
  traced: Trace | null;
  onSort: (column: number) => void;
  onTrace: (row: number) => void;
  /** Opens a row, by its place on the page, to read. */
  onRead: (at: number) => void;
}

/** Tags of listed columns that are not columns of the table: names may be the same. */
const TAGS: Partial<Record<Role, string>> = {
  output1: "output",
  output2: "output",
  truth: "truth",
  distance: "distance",
};

const WORDS: Record<Role, (name: string) => string> = {
  output1: (name) => `the output of ${name}`,
  output2: (name) => `the output of ${name}`,
  truth: () => "the ground truth",
  distance: () => "the distance between the outputs",
  column: (name) => `the column ${name}`,
};

/** One page of rows; a click on a row traces it through the tree. */
export function RowsTable({ rows, words, sort, traced, onSort, onTrace, onRead }: RowsTableProps) {
  const roles = rows.columns.map((_, i): Role => rows.roles?.[i] ?? "column");
  // A line after the columns in the conditions of the selection, and one after the outputs.
  const outputs = roles.filter((role) => role !== "column").length;
  const edge = (column: number) => {
    if (column === rows.lead - 1) return "is-lead";
    return column === rows.lead - outputs - 1 ? "is-output" : undefined;
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
                  title={`Trace row ${label}${label === String(position) ? "" : ` (position ${position})`} through the tree${differs ? "; the models differ on it" : ""}`}
                >
                  {label}
                  {differs && " ≠"}
                </Button>
                {hasLongText(rows, i) && <ReadButton label={label} onRead={() => onRead(i)} />}
              </th>
              {rows.cells[i]?.map((_, column) => (
                <td key={column} class={edge(column)} title={wholeText(rows, i, column)}>
                  <Cell rows={rows} row={i} column={column} words={words[column] ?? []} />
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function ReadButton({ label, onRead }: { label: string | undefined; onRead: () => void }) {
  return (
    <Button
      class="imd-read"
      title={`Read row ${label} in full`}
      onClick={(event) => {
        event.stopPropagation(); // a click on the row traces it
        onRead();
      }}
    >
      read
    </Button>
  );
}

interface CellProps {
  rows: RowsPage;
  row: number;
  column: number;
  words: readonly string[];
}

/** The text of a cell; with words to mark, an excerpt that begins shortly before the first. */
function Cell({ rows, row, column, words }: CellProps) {
  if (words.length === 0) return <>{rows.cells[row]?.[column]}</>;
  return <Marked text={excerpt(wholeText(rows, row, column), words, LONGEST)} words={words} />;
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
