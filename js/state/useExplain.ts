// Why the models differ on some rows, as the kernel or the page answers.

import { unavailableReason } from "../host/host";
import type { DiffView, ExplainRequest, WhyView } from "../protocol/types";
import { useDiff } from "./context";
import { type Query, useQuery } from "./useQuery";

/** Rows that each model is called with for a first answer, and for one with smaller standard errors. */
export const QUICK = 10_000;
export const PRECISE = 50_000;

export interface Explained {
  query: Query<ExplainRequest>;
  /** The answer, unless it is for other rows. */
  why: WhyView | null;
  busy: boolean;
}

const rowsOf = ({ rules, node, row }: ExplainRequest) => JSON.stringify([rules, node, row]);

/** Asks for an explanation while `wanted`; an answer for the same rows is shown until the next one is there. */
export function useExplain(work: ExplainRequest, wanted: boolean): Explained {
  const { host, state, view } = useDiff();
  const enabled = wanted && unavailableReason(state, "explain") === null;
  const query = useQuery(host, work, view, enabled);
  const { answer, answered } = query;
  const busy = enabled && query.busy;
  // what was explained stays when the kernel is gone
  const isCurrent = answered !== null && rowsOf(answered) === rowsOf(work);
  return { query: { ...query, busy }, why: (isCurrent && answer?.why) || null, busy };
}

/** A page answers at once, with everything it holds, and changes nothing. */
export const isPage = ({ refinement }: Pick<DiffView, "refinement">) =>
  (refinement.prepared ?? null) !== null;
