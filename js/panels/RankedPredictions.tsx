// The predictions of one model in their order, with the linear models that imitate it; a row is chosen here.

import type { ExplainRequest, ImitationView, OneModelView } from "../protocol/types";
import { useDiff } from "../state/context";
import { useExplain } from "../state/useExplain";
import { percent, plural, rough } from "../text/format";
import { LinearModels } from "./LinearModels";
import { Work } from "./Work";
import "./RankedPredictions.css";

const WIDE = 600;
const HIGH = 220;

const WORK: ExplainRequest = {
  kind: "explain",
  rules: [],
  node: "",
  row: null,
  more: false,
  surrogates: true,
  curves: false,
  max_calls: 10_000,
};

interface RankedProps {
  model: OneModelView;
  row: number | null;
  onRow: (row: number | null) => void;
}

export function RankedPredictions(props: RankedProps) {
  const asked = useExplain(WORK, true);
  const imitation = asked.why?.imitation;
  const list = (shares: ImitationView["tree_columns"]) =>
    shares.map(({ columns, share }) => `${columns.join(" with ")} ${percent(share)}`).join(", ");
  return (
    <>
      <Work query={asked.query} name="ranked" />
      {imitation && asked.why && (
        <>
          <Ranked {...props} ranked={imitation.ranked} what={asked.why.what} />
          <LinearModels {...imitation} />
          <section data-testid="imd-tree-columns">
            <h4>Columns of the decision tree</h4>
            <p>{list(imitation.tree_columns) || "It asks about no column."}</p>
            {imitation.tree_pairs.length > 0 && (
              <p>On one path: {list(imitation.tree_pairs.slice(0, 5))}</p>
            )}
          </section>
        </>
      )}
    </>
  );
}

interface PlotProps extends RankedProps {
  ranked: ImitationView["ranked"];
  what: string;
}

function Ranked({ model, row, onRow, ranked, what }: PlotProps) {
  const { rows, each, truth } = ranked;
  const series = [
    { name: "y", values: truth, key: "truth" },
    { name: "global linear model", values: ranked.global_model, key: "global" },
    { name: "local linear models", values: ranked.local_models, key: "local" },
    { name: model.name, values: ranked.model, key: "model" },
  ].flatMap(({ values, ...one }) => (values ? [{ ...one, values }] : []));
  const every = series.flatMap(({ values }) => values);
  const low = every.reduce((a, b) => Math.min(a, b), Infinity);
  const span = every.reduce((a, b) => Math.max(a, b), -Infinity) - low || 1;
  const last = Math.max(1, ranked.model.length - 1);
  const x = (at: number) => (WIDE * at) / last;
  const y = (value: number) => 4 + (HIGH - 8) * (1 - (value - low) / span);
  const dots = (values: readonly number[]) =>
    values.map((value, i) => `M${x(i).toFixed(1)},${y(value).toFixed(1)}h0`).join("");
  const at = row === null ? -1 : rows.indexOf(row);
  const choose = (event: MouseEvent & { currentTarget: Element }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    onRow(rows[Math.round(((event.clientX - left) / (width || 1)) * last)] ?? row);
  };
  const points = each > 1 ? `means of at least ${each} rows each` : plural(rows.length, "row");
  return (
    <section data-testid="imd-ranked">
      <h4>Predictions in their order</h4>
      <p class="imd-why-key">
        {series.map(({ name, key }) => (
          <span key={key} class={`imd-ranked-key is-${key}`}>
            {name}{" "}
          </span>
        ))}
        · {what}, from {rough(low)} to {rough(low + span)} · {points}
      </p>
      <svg
        class={rows.length > 0 ? "imd-ranked is-open" : "imd-ranked"}
        viewBox={`0 0 ${WIDE} ${HIGH}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onClick={choose}
      >
        {series.map(({ key, values }) => (
          <path key={key} class={`is-${key}`} d={dots(values)} />
        ))}
        {at >= 0 && <path class="is-cursor" d={`M${x(at).toFixed(1)},0V${HIGH}`} />}
      </svg>
      <RowField model={model} row={row} onRow={onRow} />
      {at >= 0 && (
        <p class="imd-reading" aria-live="polite" data-testid="imd-ranked-reading">
          Row {ranked.labels[at]}:{" "}
          {series
            .map(({ name, values }) => `${name} ${rough(values[at] ?? 0)}`)
            .reverse()
            .join(", ")}
        </p>
      )}
    </section>
  );
}

/** A row by its position; of a page one of those that it holds. */
function RowField({ model, row, onRow }: RankedProps) {
  const { uid } = useDiff();
  const id = `${uid}-row`;
  const { rows, labels, n_rows } = model;
  const onChange = ({ currentTarget: { value } }: { currentTarget: { value: string } }) => {
    const number = Math.trunc(Number(value));
    onRow(value !== "" && number >= 0 && number < n_rows ? number : null);
  };
  if (rows?.length === 0)
    return <p class="imd-empty">This page holds no single rows: it was saved without.</p>;
  return (
    <p class="imd-ranked-row">
      <label for={id}>Row</label>
      {rows ? (
        <select id={id} value={row ?? ""} onChange={onChange}>
          <option value="">none</option>
          {rows.map((one, i) => (
            <option key={one} value={one}>
              {labels[i]}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          type="number"
          min="0"
          max={n_rows - 1}
          placeholder={`0 to ${n_rows - 1}`}
          value={row ?? ""}
          onChange={onChange}
        />
      )}
      {!rows && <span class="imd-empty">or click in the plot</span>}
    </p>
  );
}
