// Why the models differ on the selected rows: what each makes of every column, and of the row that is traced.

import { useState } from "preact/hooks";
import { offFor } from "../host/host";
import type { DiffView, ExplainRequest, NodeView, TraceView, WhyView } from "../protocol/types";
import { useDiff } from "../state/context";
import { type Asked, useAsked } from "../state/useAsked";
import { usePanelState } from "../state/usePanelState";
import { count, plural, rough } from "../text/format";
import { whereOf } from "../text/location";
import { Button, TextButton } from "../ui/Button";
import { ErrorBox } from "../ui/ErrorBox";
import { Line } from "../ui/Line";
import { CurveChart } from "./CurveChart";
import { drawnSides, EVERY, type Range, rangeOf, SIDES } from "./curves";
import type { PanelProps } from "./panelProps";
import { ReasonCodes } from "./ReasonCodes";
import { Surrogates } from "./Surrogates";
import "./WhyPanel.css";

/** Whether the traced row is one of the rows that are explained. */
const isInside = (traced: TraceView, rules: readonly number[], node: NodeView | null) =>
  rules.length > 0
    ? rules.some((rule) => traced.rules.includes(rule))
    : !node || traced.nodes.includes(node.id);

/** The answer, if it is one to what is asked now, but for the number of columns. */
function answerTo(asked: Asked<ExplainRequest>, work: ExplainRequest): WhyView | null {
  const key = (one: ExplainRequest | null) => one && JSON.stringify([one.rules, one.node, one.row]);
  if (work.surrogates && !asked.answered?.surrogates) return null;
  return key(asked.answered) === key(work) ? (asked.answer?.why ?? null) : null;
}

export function WhyPanel({ selection: { rules, node } }: PanelProps) {
  const { host, state, view } = useDiff();
  const { traced } = state;
  const off = offFor(state, "explain");
  const selected = { rules: [...rules], node: node?.id ?? "" };
  const of = JSON.stringify(selected);
  const [all, setAll] = useState("");
  const [surrogates, setSurrogates] = usePanelState("surrogates", false);
  const row = traced && isInside(traced, rules, node) ? traced.row : null;
  const curvesOnly = { row: null, more: all === of, surrogates: false };
  const work: ExplainRequest = { kind: "explain", ...selected, ...curvesOnly };
  // The row, and surrogates, are asked for by themselves: they take longer than the curves.
  const rowWork = { ...work, row };
  const surrogateWork = { ...work, surrogates: true };
  const asked = useAsked(host, work, view, off === null);
  const why = answerTo(asked, work);
  const withRow = off === null && row !== null && why !== null && !asked.busy;
  const askedRow = useAsked(host, rowWork, view, withRow);
  const ofRow = row === null ? null : answerTo(askedRow, rowWork);
  // A page sends all that it holds.
  const withSurrogates = surrogates && why !== null && !why.trees && !asked.busy;
  const askedSurrogates = useAsked(host, surrogateWork, view, off === null && withSurrogates);
  const ofSurrogates = why?.trees ? why : answerTo(askedSurrogates, surrogateWork);

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
      <div
        class="imd-scroll imd-why"
        aria-busy={
          asked.busy || (withRow && askedRow.busy) || (withSurrogates && askedSurrogates.busy)
        }
      >
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
        {withSurrogates && <Work asked={askedSurrogates} name="surrogates" />}
        {why && ofSurrogates && <Surrogates why={ofSurrogates} />}
        {why && !ofSurrogates && !surrogates && (
          <Button
            data-testid="imd-more-surrogates"
            title="Fits random forests and decision trees that imitate both models and their difference"
            onClick={() => setSurrogates(true)}
          >
            Which columns matter to each?
          </Button>
        )}
      </div>
    </>
  );
}

/** A page answers the same every time. */
const isPage = ({ refinement }: DiffView) => (refinement.prepared ?? null) !== null;

/** What is under way, with a button to cancel it, or what went wrong. */
function Work({ asked, name }: { asked: Asked<ExplainRequest>; name: string }) {
  const { state, view } = useDiff();
  const { busy, progress, error } = asked;
  if (error !== null && isPage(view)) return <p class="imd-empty">{error}</p>;
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
          {state.kernel.busy
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

/** A probability, and a share of votes, cannot leave these ends, whatever a deviation says. */
const possibleOf = ({ what }: WhyView): Range =>
  /^(probability|share)/.test(what) ? [0, 1] : EVERY;

function Curves({ why, ice, onMore }: CurvesProps) {
  const { cannot, lacking, curves, waiting, tolerance } = why;
  const { view } = useDiff();
  const [large, setLarge] = useState<number | null>(null);
  if (cannot !== null) return <p data-testid="imd-cannot">{cannot}</p>;
  const possible = possibleOf(why);
  const range = rangeOf(curves, ice, possible);
  const shown = tolerance ?? 0;
  const drawn = curves[0] ? drawnSides(curves[0]).map((side) => SIDES.indexOf(side)) : [];
  const moved = drawn.length > 1 ? "them apart" : view.names[drawn[0] ?? 0];
  return (
    <section data-testid="imd-curves">
      <h4>Columns that move {moved}</h4>
      {lacking && <p data-testid="imd-lacking">{lacking}</p>}
      <p class="imd-why-key">
        {drawn.map((side, nth) => (
          <span key={side}>
            <Line dashed={side === 1} /> {view.names[side]}
            {nth + 1 < drawn.length ? " " : ", "}
          </span>
        ))}
        mean over {plural(curves[0]?.rows ?? 0, "row")}
        {ice.length > 0 && "; grey: one standard deviation of these rows, thin: the row traced"}.
        All from {rough(range[0])} to {rough(range[1])}. Bars: where the rows are.
      </p>
      <ul class="imd-multiples">
        {curves.map((curve) => (
          <CurveChart
            key={curve.position}
            curve={curve}
            ice={ice.find(({ position }) => position === curve.position) ?? null}
            range={range}
            possible={possible}
            tolerance={shown}
            large={large === curve.position}
            onToggle={() => setLarge(large === curve.position ? null : curve.position)}
          />
        ))}
      </ul>
      {waiting.length > 0 && isPage(view) && (
        <p class="imd-empty">
          This page holds the curves of {curves.length} of {curves.length + waiting.length} columns.
        </p>
      )}
      {waiting.length > 0 && !isPage(view) && (
        <Button data-testid="imd-more-curves" onClick={onMore}>
          Show the other {plural(waiting.length, "column")}
        </Button>
      )}
    </section>
  );
}
