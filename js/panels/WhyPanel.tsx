// Why the models differ on the selected rows: how each depends on every column, and reason codes of the traced row.

import { useState } from "preact/hooks";
import { unavailableReason } from "../host/host";
import type { DiffView, ExplainRequest, NodeView, Trace, WhyView } from "../protocol/types";
import { useDiff } from "../state/context";
import { usePanelState } from "../state/usePanelState";
import { type Query, useQuery } from "../state/useQuery";
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
const isInside = (traced: Trace, rules: readonly number[], node: NodeView | null) =>
  rules.length > 0
    ? rules.some((rule) => traced.rules.includes(rule))
    : !node || traced.nodes.includes(node.id);

/** The answer, unless it is for another selection. */
function answerTo(query: Query<ExplainRequest>, work: ExplainRequest): WhyView | null {
  const key = (one: ExplainRequest | null) => one && JSON.stringify([one.rules, one.node, one.row]);
  if (work.surrogates && !query.answered?.surrogates) return null;
  return key(query.answered) === key(work) ? (query.answer?.why ?? null) : null;
}

export function WhyPanel({ selection: { rules, node } }: PanelProps) {
  const { host, state, view } = useDiff();
  const { traced } = state;
  const disabledReason = unavailableReason(state, "explain");
  const selected = { rules: [...rules], node: node?.id ?? "" };
  const of = JSON.stringify(selected);
  const [all, setAll] = useState("");
  const [surrogates, setSurrogates] = usePanelState("surrogates", false);
  const row = traced && isInside(traced, rules, node) ? traced.row : null;
  const curvesOnly = { row: null, more: all === of, surrogates: false };
  const work: ExplainRequest = { kind: "explain", ...selected, ...curvesOnly };
  // The row and the surrogates are separate requests: they take longer than the curves.
  const rowWork = { ...work, row };
  const surrogateWork = { ...work, surrogates: true };
  const query = useQuery(host, work, view, disabledReason === null);
  const why = answerTo(query, work);
  const withRow = disabledReason === null && row !== null && why !== null && !query.busy;
  const rowQuery = useQuery(host, rowWork, view, withRow);
  const ofRow = row === null ? null : answerTo(rowQuery, rowWork);
  // A page answers with everything it holds.
  const withSurrogates = surrogates && why !== null && !why.trees && !query.busy;
  const surrogateQuery = useQuery(
    host,
    surrogateWork,
    view,
    disabledReason === null && withSurrogates,
  );
  const ofSurrogates = why?.trees ? why : answerTo(surrogateQuery, surrogateWork);

  if (disabledReason !== null)
    return (
      <p class="imd-empty imd-scroll" data-testid="imd-no-why">
        {view.lacks?.explain ?? `Explanations need the kernel. ${disabledReason}`}
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
          query.busy || (withRow && rowQuery.busy) || (withSurrogates && surrogateQuery.busy)
        }
      >
        <Work query={query} name="curves" />
        {why?.note && <p>{why.note}</p>}
        {why && traced && (
          <section data-testid="imd-why-row">
            <h4>Row {traced.label}</h4>
            {row === null ? (
              <p class="imd-empty">
                This row is not in the selection; clear the selection to explain it.
              </p>
            ) : (
              withRow && <Work query={rowQuery} name="reasons" />
            )}
            {ofRow && <ReasonCodes why={ofRow} />}
          </section>
        )}
        {why && <Curves why={why} ice={ofRow?.ice ?? []} onMore={() => setAll(of)} />}
        {withSurrogates && <Work query={surrogateQuery} name="surrogates" />}
        {why && ofSurrogates && <Surrogates why={ofSurrogates} />}
        {why && !ofSurrogates && !surrogates && (
          <Button
            data-testid="imd-more-surrogates"
            title="Fit random forest and decision tree surrogates of both models and their difference"
            onClick={() => setSurrogates(true)}
          >
            Show column importance and trees
          </Button>
        )}
      </div>
    </>
  );
}

/** A page answers the same every time. */
const isPage = ({ refinement }: DiffView) => (refinement.prepared ?? null) !== null;

/** What is under way, with a button to cancel it, or what went wrong. */
function Work({ query, name }: { query: Query<ExplainRequest>; name: string }) {
  const { state, view } = useDiff();
  const { busy, progress, error } = query;
  if (error !== null && isPage(view)) return <p class="imd-empty">{error}</p>;
  if (error !== null)
    return (
      <ErrorBox id={`imd-${name}-error`} error={error}>
        <Button onClick={query.retry}>Try again</Button>
      </ErrorBox>
    );
  const far = progress && `: part ${count(progress.done)} of ${count(progress.total)}`;
  return (
    <p class="imd-empty" role="status" data-testid={`imd-${name}-status`}>
      {busy && (
        <>
          {state.kernel.busy
            ? "The kernel is busy; waiting for it. "
            : `Evaluating the models${far ?? "…"} `}
          <TextButton onClick={query.cancel}>Cancel</TextButton>
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
  const driven = drawn.length > 1 ? "the difference" : view.names[drawn[0] ?? 0];
  return (
    <section data-testid="imd-curves">
      <h4>Columns that drive {driven}</h4>
      {lacking && <p data-testid="imd-lacking">{lacking}</p>}
      <p class="imd-why-key">
        {drawn.map((side, nth) => (
          <span key={side}>
            <Line dashed={side === 1} /> {view.names[side]}
            {nth + 1 < drawn.length ? " " : ", "}
          </span>
        ))}
        mean over {plural(curves[0]?.rows ?? 0, "row")}
        {ice.length > 0 && "; grey: ± one standard deviation, thin: the traced row"}. Scale:{" "}
        {rough(range[0])} to {rough(range[1])}. Bars: distribution of the rows.
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
