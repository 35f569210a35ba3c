// Why the models differ on the selected rows: what each makes of every column, and of the row that is traced.

import { useState } from "preact/hooks";
import { offFor } from "../host/host";
import type { ExplainRequest, NodeView, TraceView, WhyView } from "../protocol/types";
import { useDiff } from "../state/context";
import { type Asked, useAsked } from "../state/useAsked";
import { count, plural, rough } from "../text/format";
import { whereOf } from "../text/location";
import { Button, TextButton } from "../ui/Button";
import { ErrorBox } from "../ui/ErrorBox";
import { Line } from "../ui/Line";
import { CurveChart } from "./CurveChart";
import { rangeOf } from "./curves";
import type { PanelProps } from "./panelProps";
import { ReasonCodes } from "./ReasonCodes";
import "./WhyPanel.css";

/** Whether the traced row is one of the rows that are explained. */
const isInside = (traced: TraceView, rules: readonly number[], node: NodeView | null) =>
  rules.length > 0
    ? rules.some((rule) => traced.rules.includes(rule))
    : !node || traced.nodes.includes(node.id);

/** The answer, if it is one to what is asked now, but for the number of columns. */
function answerTo(asked: Asked<ExplainRequest>, work: ExplainRequest): WhyView | null {
  const key = (one: ExplainRequest | null) => one && JSON.stringify([one.rules, one.node, one.row]);
  return key(asked.answered) === key(work) ? (asked.answer?.why ?? null) : null;
}

export function WhyPanel({ selection: { rules, node } }: PanelProps) {
  const { host, state, view } = useDiff();
  const { traced } = state;
  const off = offFor(state, "explain");
  const selected = { rules: [...rules], node: node?.id ?? "" };
  const of = JSON.stringify(selected);
  const [all, setAll] = useState("");
  const row = traced && isInside(traced, rules, node) ? traced.row : null;
  const work: ExplainRequest = { kind: "explain", ...selected, row: null, more: all === of };
  // The row is asked for by itself: its surrogates take longer than the curves.
  const rowWork = { ...work, row };
  const asked = useAsked(host, work, view, off === null);
  const why = answerTo(asked, work);
  const withRow = off === null && row !== null && why !== null && !asked.busy;
  const askedRow = useAsked(host, rowWork, view, withRow);
  const ofRow = row === null ? null : answerTo(askedRow, rowWork);

  if (off !== null)
    return (
      <p class="imd-empty imd-scroll" data-testid="imd-no-why">
        {view.lacks?.explain ?? `Explanations come from the kernel. ${off}`}
      </p>
    );
  const where = whereOf(rules, node, "in the whole table");
  return (
    <>
      <div class="imd-panel-head">
        <h3
          class="imd-why-title"
          data-testid="imd-why-title"
          title={why ? `${why.what}: ${why.text}` : where}
        >
          {why ? `Why: ${why.what} on ${plural(why.rows, "row")}` : "Why"}
          <span> {where}</span>
        </h3>
      </div>
      <div class="imd-scroll imd-why" aria-busy={asked.busy || (withRow && askedRow.busy)}>
        <Work asked={asked} name="curves" />
        {why?.note && <p>{why.note}</p>}
        {why && traced && (
          <section data-testid="imd-why-row">
            <h4>Row {traced.label}</h4>
            {row === null ? (
              <p class="imd-empty">It is not among these rows: select nothing to explain it.</p>
            ) : (
              withRow && <Work asked={askedRow} name="reasons" />
            )}
            {ofRow && <ReasonCodes why={ofRow} />}
          </section>
        )}
        {why && <Curves why={why} ice={ofRow?.ice ?? []} onMore={() => setAll(of)} />}
      </div>
    </>
  );
}

/** What is under way, with a button to cancel it, or what went wrong. */
function Work({ asked, name }: { asked: Asked<ExplainRequest>; name: string }) {
  const { kernel } = useDiff().state;
  const { busy, progress, error } = asked;
  if (error !== null)
    return (
      <ErrorBox id={`imd-${name}-error`} error={error}>
        <Button onClick={asked.retry}>Try again</Button>
      </ErrorBox>
    );
  const far = progress && `: part ${count(progress.done)} of ${count(progress.total)}`;
  return (
    <p class="imd-empty" role="status" data-testid={`imd-${name}-status`}>
      {busy && (
        <>
          {kernel.busy
            ? "The kernel is busy: this waits until it is free. "
            : `Asking both models${far ?? "…"} `}
          <TextButton onClick={asked.cancel}>Cancel</TextButton>
        </>
      )}
    </p>
  );
}

interface CurvesProps {
  why: WhyView;
  ice: WhyView["ice"];
  onMore: () => void;
}

function Curves({ why: { cannot, curves, waiting, tolerance }, ice, onMore }: CurvesProps) {
  const { names } = useDiff().view;
  const [large, setLarge] = useState<number | null>(null);
  if (cannot !== null) return <p data-testid="imd-cannot">{cannot}</p>;
  const range = rangeOf(curves, ice);
  const shown = tolerance ?? 0;
  return (
    <section data-testid="imd-curves">
      <h4>Columns that move them apart</h4>
      <p class="imd-why-key">
        <Line /> {names[0]} <Line dashed /> {names[1]}, mean over{" "}
        {plural(curves[0]?.rows ?? 0, "row")}
        {ice.length > 0 && "; thin: the row"}. All from {rough(range[0])} to {rough(range[1])}.
        Bars: where the rows are.
      </p>
      <ul class="imd-multiples">
        {curves.map((curve) => (
          <CurveChart
            key={curve.position}
            curve={curve}
            ice={ice.find(({ position }) => position === curve.position) ?? null}
            range={range}
            tolerance={shown}
            large={large === curve.position}
            onToggle={() => setLarge(large === curve.position ? null : curve.position)}
          />
        ))}
      </ul>
      {waiting.length > 0 && (
        <Button data-testid="imd-more-curves" onClick={onMore}>
          Show the other {plural(waiting.length, "column")}
        </Button>
      )}
    </section>
  );
}
