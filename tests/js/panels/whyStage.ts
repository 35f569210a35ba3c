// The tab Why on a stage: what it asked for, and answers to that.

import type { Answers, Request } from "../../../js/protocol/types";
import { useStage } from "../stage";
import { settle } from "../support";

/** A request of this kind. */
type Of<K extends Request["kind"]> = Extract<Request, { kind: K }>;

export function useWhyStage() {
  const stage = useStage();
  const sent = <K extends Request["kind"]>(kind: K) =>
    stage.model.sent.filter((request): request is Of<K> => request.kind === kind);
  const last = <K extends Request["kind"]>(kind: K): Of<K> => {
    const found = sent(kind).at(-1);
    if (!found) throw new Error(`no request ${kind}`);
    return found;
  };
  return {
    ...stage,
    /** What is on the stage now: `model` changes with each `show`. */
    stage,
    sent,
    last,
    id: (name: string) => stage.one(`[data-testid="imd-${name}"]`),
    ids: (name: string) => stage.all(`[data-testid="imd-${name}"]`),
    /** Answers the last request of a kind. */
    async answer<K extends Request["kind"]>(kind: K, answer: Answers[K]) {
      stage.model.answer({ id: last(kind).id, ...answer });
      await settle();
    },
    async refuse(kind: Request["kind"], error: string) {
      stage.model.answer({ id: last(kind).id, error });
      await settle();
    },
    /** Opens or closes one of the parts that come on demand. */
    async toggle(part: string) {
      await stage.click(stage.one(`[data-testid="imd-${part}"] .imd-disclosure`));
    },
  };
}
