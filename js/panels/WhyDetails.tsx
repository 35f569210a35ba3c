// What follows the contributions on demand: interactions, curves, surrogates.

import { unavailableReason } from "../host/host";
import type { ExplainRequest, WhyView } from "../protocol/types";
import { useDiff } from "../state/context";
import { isPage, useExplain } from "../state/useExplain";
import { usePanelState } from "../state/usePanelState";
import { Disclosure } from "../ui/Disclosure";
import { ColumnCurves } from "./ColumnCurves";
import { Interactions } from "./Interactions";
import type { PanelProps } from "./panelProps";
import { Surrogates } from "./Surrogates";
import { isInside } from "./tracedInside";
import { Work } from "./Work";

interface WhyDetailsProps extends PanelProps {
  why: WhyView;
  /** The request that `why` answers. */
  work: ExplainRequest;
}

export function WhyDetails({ why, work, selection }: WhyDetailsProps) {
  const { state } = useDiff();
  const noPairs = unavailableReason(state, "interactions");
  return (
    <>
      {why.contributions && noPairs === null && <Pairs work={work} />}
      {why.cannot === null && <CurvesPart why={why} work={work} selection={selection} />}
      <SurrogatesPart why={why} work={work} selection={selection} />
      {noPairs !== null && (
        <p class="imd-empty" data-testid="imd-why-missing">
          Interactions, what-if values and the smallest change: {noPairs}
        </p>
      )}
    </>
  );
}

function Pairs({ work: { rules, node } }: { work: ExplainRequest }) {
  const [open, setOpen] = usePanelState("interactions", false);
  return (
    <Disclosure
      id="imd-pairs"
      title="Columns that act together"
      open={open}
      onToggle={() => setOpen(!open)}
    >
      <Interactions key={JSON.stringify([rules, node])} rules={rules} node={node} />
    </Disclosure>
  );
}

function CurvesPart({ why, work, selection }: WhyDetailsProps) {
  const { state, view } = useDiff();
  const page = isPage(view);
  const [open, setOpen] = usePanelState("curves", false);
  const [more, setMore] = usePanelState("more curves", "");
  const of = JSON.stringify([work.rules, work.node]);
  const wanted = { ...work, curves: true, more: more === of };
  const all = useExplain(wanted, open && !page);
  const { traced } = state;
  const row = traced && isInside(traced, selection) ? traced.row : null;
  // The row is a request of its own: its reason codes take longer than the curves.
  const ofRow = useExplain({ ...wanted, row }, open && !page && row !== null && all.why !== null);
  const shown = page ? why : all.why;
  return (
    <Disclosure
      id="imd-curves-part"
      title="Curves of single columns"
      open={open}
      onToggle={() => setOpen(!open)}
    >
      {!page && <Work query={all.query} name="curves" />}
      {shown && <ColumnCurves why={shown} ice={ofRow.why?.ice ?? []} onMore={() => setMore(of)} />}
    </Disclosure>
  );
}

function SurrogatesPart({ why, work }: WhyDetailsProps) {
  const { view } = useDiff();
  const [open, setOpen] = usePanelState("surrogates", false);
  const page = isPage(view);
  const asked = useExplain({ ...work, surrogates: true }, open && !page);
  const shown = page ? why : asked.why;
  if (page && !why.trees && !why.importance) return null;
  return (
    <Disclosure
      id="imd-surrogates-part"
      title="Surrogate models: column importance and trees"
      open={open}
      onToggle={() => setOpen(!open)}
    >
      {!page && <Work query={asked.query} name="surrogates" />}
      {shown && <Surrogates why={shown} />}
    </Disclosure>
  );
}
