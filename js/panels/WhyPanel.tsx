// Why the models differ on the selected rows: what adds up to their gap, what if the rule did not hold, and more on demand.

import { unavailableReason } from "../host/host";
import type { ExplainRequest } from "../protocol/types";
import { useDiff } from "../state/context";
import { isPage, PRECISE, QUICK, useExplain } from "../state/useExplain";
import { usePanelState } from "../state/usePanelState";
import { count, plural } from "../text/format";
import { whereOf } from "../text/location";
import { TextButton } from "../ui/Button";
import { Conditions } from "./Conditions";
import { Contributions } from "./Contributions";
import type { PanelProps } from "./panelProps";
import { TracedRowWhy } from "./TracedRowWhy";
import { WhyDetails } from "./WhyDetails";
import { Work } from "./Work";
import "./WhyPanel.css";

/** The standard error falls with the root of the number of calls. */
const FOR_HALF = 4;

export function WhyPanel({ selection }: PanelProps) {
  const { rules, node } = selection;
  const { state, view } = useDiff();
  const disabledReason = unavailableReason(state, "explain");
  const work: ExplainRequest = {
    kind: "explain",
    rules: [...rules],
    node: node?.id ?? "",
    row: null,
    more: false,
    surrogates: false,
    curves: false,
    max_calls: QUICK,
  };
  const quick = useExplain(work, true);
  const more = !isPage(view) && !quick.busy && Boolean(quick.why?.contributions);
  const [calls, setCalls] = usePanelState(`calls ${JSON.stringify([rules, work.node])}`, PRECISE);
  const precise = useExplain({ ...work, max_calls: calls }, more);
  const why = precise.why ?? quick.why;

  const noWhy = disabledReason !== null && (
    <p class={why ? "imd-empty" : "imd-empty imd-scroll"} data-testid="imd-no-why">
      {view.lacks?.explain ?? `Explanations need the kernel. ${disabledReason}`}
    </p>
  );
  if (noWhy && !why) return noWhy;
  const where = whereOf(rules, node, "in the whole table");
  const refusal = why && (why.cannot ?? why.lacking);
  return (
    <>
      <div class="imd-panel-head">
        <h3
          class="imd-why-title"
          data-testid="imd-why-title"
          title={why ? `${why.what}: ${why.text}` : where}
        >
          {why ? `Why: ${why.what} on ${plural(why.rows, "row")}` : "Why"}
          <span> {why && view.names[1] === undefined ? why.text : where}</span>
        </h3>
      </div>
      <div class="imd-scroll imd-why" aria-busy={quick.busy || precise.busy}>
        {noWhy || <Work query={quick.query} name="why" />}
        {why?.note && <p>{why.note}</p>}
        {refusal && <p data-testid="imd-cannot">{refusal}</p>}
        {state.traced && <TracedRowWhy key={state.traced.row} selection={selection} work={work} />}
        {why?.contributions && <Sentence text={why.contributions.sentence} />}
        {why && <Conditions why={why} of={rules.length > 0 ? "rule" : node ? "node" : "rows"} />}
        {why?.contributions && <Contributions contributions={why.contributions} />}
        {more && <Work query={precise.query} name="precise" doing="Reducing the standard errors" />}
        {more && precise.why && !precise.busy && why?.contributions?.averages_out === false && (
          <TextButton onClick={() => setCalls(FOR_HALF * calls)}>
            Halve the standard errors ({count(FOR_HALF * calls)} rows for each model)
          </TextButton>
        )}
        {why && <WhyDetails why={why} work={work} selection={selection} />}
      </div>
    </>
  );
}

/** The first sentence states the gap; what follows it is in normal weight. */
function Sentence({ text }: { text: string }) {
  const end = text.indexOf(". ") + 1 || text.length;
  return (
    <p class="imd-why-headline" data-testid="imd-why-sentence">
      <b>{text.slice(0, end)}</b>
      {text.slice(end)}
    </p>
  );
}
