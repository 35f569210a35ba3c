// What follows the contributions on demand: interactions, curves, surrogates.

import { unavailableReason } from "../host/host";
import type { ExplainRequest, WhyView } from "../protocol/types";
import { useDiff } from "../state/context";
import { isPage, PRECISE, useExplain } from "../state/useExplain";
import { usePanelState } from "../state/usePanelState";
import { ColumnCurves } from "./ColumnCurves";
import { Interactions } from "./Interactions";
import { Part } from "./Part";
import type { PanelProps } from "./panelProps";
import { Surrogates } from "./Surrogates";
import { isInside } from "./tracedInside";
import { Work } from "./Work";

interface WhyDetailsProps extends PanelProps {
  why: WhyView;
  /** The request that `why` answers. */
  work: ExplainRequest;
}

export function WhyDetails(props: WhyDetailsProps) {
  const { state, view } = useDiff();
  const { why, work } = props;
  const noPairs = unavailableReason(state, "interactions");
  const hasSurrogates = !isPage(view) || why.trees || why.importance;
  const { rules, node } = work;
  return (
    <>
      {why.contributions && noPairs === null && (
        <Part id="imd-pairs" title="Columns that act together">
          <Interactions
            key={JSON.stringify([rules, node])}
            rules={rules}
            node={node}
            columns={why.contributions.columns}
          />
        </Part>
      )}
      {why.cannot === null && (
        <Part id="imd-curves-part" title="Curves of single columns">
          <AskedCurves {...props} />
        </Part>
      )}
      {hasSurrogates && (
        <Part id="imd-surrogates-part" title="Surrogate models: column importance and trees">
          <AskedSurrogates {...props} />
        </Part>
      )}
      {noPairs !== null && (
        <p class="imd-empty" data-testid="imd-why-missing">
          Interactions, what-if values and the smallest change: {noPairs}
        </p>
      )}
    </>
  );
}

/** A page has the curves already. */
function AskedCurves({ why, work, selection }: WhyDetailsProps) {
  const { state, view } = useDiff();
  const page = isPage(view);
  const [more, setMore] = usePanelState("more curves", "");
  const of = JSON.stringify([work.rules, work.node]);
  const wanted = { ...work, curves: true, more: more === of, max_calls: PRECISE };
  const all = useExplain(wanted, !page);
  const { traced } = state;
  const row = traced && isInside(traced, selection) ? traced.row : null;
  // The row is a request of its own: its reason codes take longer than the curves.
  const ofRow = useExplain({ ...wanted, row }, !page && row !== null && all.why !== null);
  const shown = page ? why : all.why;
  return (
    <>
      {!page && <Work query={all.query} name="curves" />}
      {shown && (
        <ColumnCurves
          why={shown}
          ice={row === null ? [] : (ofRow.why?.ice ?? [])}
          onMore={() => setMore(of)}
        />
      )}
    </>
  );
}

/** A page has the surrogates already. */
function AskedSurrogates({ why, work }: WhyDetailsProps) {
  const page = isPage(useDiff().view);
  const asked = useExplain({ ...work, surrogates: true }, !page);
  const shown = page ? why : asked.why;
  return (
    <>
      {!page && <Work query={asked.query} name="surrogates" />}
      {shown && <Surrogates why={shown} />}
    </>
  );
}
