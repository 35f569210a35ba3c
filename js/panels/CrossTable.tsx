// All rows by what both models say; with the ground truth in place of a model, what is wrong and how often.

import type { CrossTable as Cells, DiffView } from "../protocol/types";
import { count, percent, plural } from "../text/format";
import { outcomeColor } from "../ui/colors";
import { Swatch } from "../ui/Swatch";
import { errorsByClass, labelsOf, misjudged } from "./crossCounts";
import "./CrossTable.css";

export function CrossTable({ view }: { view: DiffView }) {
  const { crosstab, names } = view;
  if (!crosstab || crosstab.cells.length === 0 || view.metrics.n_differing === 0) return null;
  return (
    <details class="imd-cross" data-testid="imd-cross">
      <summary>All rows by what both say</summary>
      <p>
        In a row what {names[0]} says, in a column what {names[1]} says; in a cell the rows of the
        table. They agree on the diagonal.
      </p>
      <Table view={view} crosstab={crosstab} />
      {view.truth !== 0 && <Errors view={view} crosstab={crosstab} />}
    </details>
  );
}

interface TableProps {
  view: DiffView;
  crosstab: Cells;
}

function Name({ view, label }: { view: DiffView; label: number }) {
  return (
    <span>
      <Swatch color={outcomeColor(view.outputs, { label, value: null })} />
      <span title={view.classes[label]}>{view.classes[label]}</span>
    </span>
  );
}

function Table({ view, crosstab }: TableProps) {
  const { labels, more } = labelsOf(crosstab);
  const rows = new Map(crosstab.cells.map(([one, two, n]) => [`${one},${two}`, n]));
  const [one, two] = view.names;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <section class="imd-matrix" aria-label="All rows by what both say" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <td>
                <span title={`Rows: ${one}. Columns: ${two}.`}>
                  <span>{one}</span>↓<span>{two}</span>→
                </span>
              </td>
              {labels.map((label) => (
                <th key={label} scope="col">
                  <Name view={view} label={label} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((from) => (
              <tr key={from}>
                <th scope="row">
                  <Name view={view} label={from} />
                </th>
                {labels.map((to) => {
                  const n = rows.get(`${from},${to}`) ?? 0;
                  return (
                    <td key={to} class={from === to ? "is-same" : undefined}>
                      {n > 0 ? count(n) : "·"}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {(more > 0 || crosstab.left_out > 0) && (
        <p>
          {more > 0 && `${plural(more, "class", "classes")} with fewer differing rows left out. `}
          {crosstab.left_out > 0 && `${plural(crosstab.left_out, "row")} of rare pairs left out.`}
        </p>
      )}
    </>
  );
}

/** False alarms and misses of two classes, precision and recall of each of more. */
function Errors({ view, crosstab }: TableProps) {
  const { classes, names, truth } = view;
  const model = names[truth === 1 ? 1 : 0];
  if (crosstab.left_out > 0)
    return <p>Too many pairs of classes to say how good {model} is for each of them.</p>;
  if (classes.length === 2) {
    const { falseAlarms, misses, precision, recall } = misjudged(crosstab, truth, 1);
    const yes = classes[1];
    return (
      <p data-testid="imd-errors">
        For “{yes}”: <b>{plural(falseAlarms, "false alarm")}</b> ({model} says {yes}, and it is
        not), <b>{plural(misses, "miss", "misses")}</b> (it is {yes}, and {model} says {classes[0]}
        ). Precision {percent(precision)}, recall {percent(recall)} of {model}.
      </p>
    );
  }
  return (
    <div class="imd-matrix" data-testid="imd-errors">
      <table>
        <caption>How good {model} is, class by class, the worst first</caption>
        <thead>
          <tr>
            <th scope="col">class</th>
            <th
              scope="col"
              title={`Of the rows that ${model} gives this class, those that have it`}
            >
              precision
            </th>
            <th
              scope="col"
              title={`Of the rows that have this class, those that ${model} gives it`}
            >
              recall
            </th>
            <th scope="col">rows</th>
          </tr>
        </thead>
        <tbody>
          {errorsByClass(crosstab, truth).map(({ label, precision, recall, rows }) => (
            <tr key={label}>
              <th scope="row">
                <Name view={view} label={label} />
              </th>
              <td>{percent(precision)}</td>
              <td>{percent(recall)}</td>
              <td>{count(rows)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
