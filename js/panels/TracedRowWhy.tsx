// The traced row: what leads to the scores of both models, and what they would be with other values.

import { useEffect } from "preact/hooks";
import { unavailableReason } from "../host/host";
import type { ExplainRequest, WhatIfView } from "../protocol/types";
import { useDiff } from "../state/context";
import { isPage, PRECISE, useExplain } from "../state/useExplain";
import { useWhatIf } from "../state/useWhatIf";
import { Part } from "./Part";
import type { PanelProps } from "./panelProps";
import { ReasonCodes } from "./ReasonCodes";
import { RowEditor } from "./RowEditor";
import { isInside } from "./tracedInside";
import { Waterfall } from "./Waterfall";
import { Work } from "./Work";

interface TracedRowWhyProps extends PanelProps {
  /** The request for the rows of the selection. */
  work: ExplainRequest;
}

export function TracedRowWhy({ selection, work }: TracedRowWhyProps) {
  const { state, view } = useDiff();
  const { traced } = state;
  const held = isPage(view) && view.names[1] === undefined;
  const reason = unavailableReason(state, "what_if");
  const whatIf = useWhatIf(traced?.row ?? 0, traced !== null && reason === null);
  const { shown, query } = whatIf;
  useEditedPath(selection, shown);
  if (!traced) return null;
  return (
    <section data-testid="imd-why-row" aria-busy={reason === null && query.busy}>
      <h4>Row {traced.label}</h4>
      {reason !== null ? <p class="imd-empty">{reason}</p> : <Work query={query} name="row" />}
      {shown && (
        <div class={query.busy || query.error !== null ? "is-busy" : undefined}>
          <Outputs shown={shown} />
          {shown.contributions && (
            <>
              <p>{shown.contributions.sentence}</p>
              <Waterfall contributions={shown.contributions} />
            </>
          )}
        </div>
      )}
      {shown && <RowEditor whatIf={whatIf} shown={shown} />}
      {held && <HeldRow work={{ ...work, row: traced.row }} />}
      {(reason === null || held) && (
        <Part id="imd-reasons-part" title="Reason codes of surrogate models">
          {isInside(traced, selection) ? (
            <Reasons work={{ ...work, curves: true, row: traced.row, max_calls: PRECISE }} />
          ) : (
            <p class="imd-empty">
              This row is not in the selection; clear the selection to see them.
            </p>
          )}
        </Part>
      )}
    </section>
  );
}

/** The tree highlights the path of the edited row in place of that of the row in the table. */
function useEditedPath({ hoverNodes }: PanelProps["selection"], shown: WhatIfView | null) {
  const changed = shown?.fields.some((field) => field.changed) ? shown : null;
  useEffect(() => {
    if (!changed) return;
    hoverNodes(changed.nodes);
    return () => hoverNodes(null);
  }, [changed, hoverNodes]);
}

/** A row of a page, which has no model to call. */
function HeldRow({ work }: { work: ExplainRequest }) {
  const found = useExplain(work, true).why?.row_contributions;
  return found ? (
    <>
      <p>{found.sentence}</p>
      <Waterfall contributions={found} />
    </>
  ) : null;
}

/** Both outputs, before and after the edits. */
function Outputs({ shown }: { shown: WhatIfView }) {
  const { names } = useDiff().view;
  const { said, said_before, score_texts, score_texts_before, what, differs } = shown;
  const change = (before = "", now = "") =>
    before === now ? (
      now
    ) : (
      <>
        <s>{before}</s> → <b>{now}</b>
      </>
    );
  return (
    <table class="imd-outputs" data-testid="imd-outputs">
      <thead>
        <tr>
          <th scope="col">{names[1] && (differs ? "The models differ" : "The models agree")}</th>
          <th scope="col">output</th>
          <th scope="col">{what}</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name, side) => (
          <tr key={side}>
            <th scope="row">{name}</th>
            <td>{change(said_before[side], said[side])}</td>
            <td>{change(score_texts_before[side], score_texts[side])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Reasons({ work }: { work: ExplainRequest }) {
  const asked = useExplain(work, true);
  return (
    <>
      <Work query={asked.query} name="reasons" />
      {asked.why && <ReasonCodes why={asked.why} />}
    </>
  );
}
