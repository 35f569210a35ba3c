// All rows by both outputs; if one of them is the ground truth, also the errors of the other.

import type { CrossTable as Cells, DiffView } from "../protocol/types";
import { count, percent, plural } from "../text/format";
import { outcomeColor } from "../ui/colors";
import { Swatch } from "../ui/Swatch";
import { classErrors, errorsByClass, labelsOf } from "./crossCounts";
import "./CrossTable.css";

export function CrossTable({ view }: { view: DiffView }) {
  const { crosstab, names } = view;
  if (!crosstab || crosstab.cells.length === 0 || view.metrics.n_differing === 0) return null;
  return (
    <details class="imd-cross" data-testid="imd-cross">
      <summary>Cross table of all rows</summary>
      <p>
        Rows: {names[0]}. Columns: {names[1]}. Each cell counts rows of the table; the models agree
        on the diagonal.
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
      <section class="imd-matrix" aria-label="Cross table of all rows" tabIndex={0}>
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
          {more > 0 &&
            `${plural(more, "class", "classes")} with fewer differing rows are not shown. `}
          {crosstab.left_out > 0 &&
            `Not shown: ${plural(crosstab.left_out, "row")} with rare pairs.`}
        </p>
      )}
    </>
  );
}

/** Errors of two classes, or precision and recall of each of more. */
function Errors({ view, crosstab }: TableProps) {
  const { classes, names, truth } = view;
  const model = names[truth === 1 ? 1 : 0];
  if (crosstab.left_out > 0) return <p>Too many pairs of classes to evaluate {model} by class.</p>;
  if (classes.length === 2) {
    const { falsePositives, falseNegatives, precision, recall } = classErrors(crosstab, truth, 1);
    return (
      <p data-testid="imd-errors">
        {model} for “{classes[1]}”: <b>{plural(falsePositives, "false positive")}</b>,{" "}
        <b>{plural(falseNegatives, "false negative")}</b>, precision {percent(precision)}, recall{" "}
        {percent(recall)}.
      </p>
    );
  }
  return (
    <div class="imd-matrix" data-testid="imd-errors">
      <table>
        <caption>{model} by class, worst first</caption>
        <thead>
          <tr>
            <th scope="col">class</th>
            <th scope="col" title="Share of the rows predicted as this class that have it">
              precision
            </th>
            <th scope="col" title="Share of the rows with this class that are predicted as it">
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
