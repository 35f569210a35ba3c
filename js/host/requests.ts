// Requests to Python under an id, and their answers. anywidget's `experimental.invoke` has ids and an AbortSignal too,
// but it cannot cancel work on the Python side.

import type { Answer, Progress, ProgressView, Work } from "../protocol/types";
import { toError } from "../text/messageOf";
import type { Model } from "./model";

export const CANCELLED = "Cancelled; nothing changed.";

/** Called with the progress of the work. */
export type Progressed = (progress: ProgressView) => void;

export interface Requests {
  /** The id of the first request. */
  firstId: string;
  /**
   * Resolves with the answer, rejects with its error. An aborted "hello" is dropped at once; for other
   * work Python is asked to cancel, and its answer says whether it did.
   */
  send(work: Work, signal?: AbortSignal, progressed?: Progressed): Promise<never>;
  /** Rejects every open request except one. */
  rejectAll(reason: string, except?: string): void;
  dispose(): void;
}

interface Open {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
  progressed: Progressed | undefined;
}

let created = 0;

export function createRequests(model: Model): Requests {
  const open = new Map<string, Open>();
  // An answer reaches every view of the model: the prefix marks the requests of this one.
  created += 1;
  const prefix = `${created}-${Math.random().toString(36).slice(2)}`;
  let sent = 0;

  const close = (id: string): Open | undefined => {
    const request = open.get(id);
    open.delete(id);
    return request;
  };
  const onAnswer = (answer: Answer & Partial<Progress>) => {
    if (answer?.progress) {
      open.get(answer.id)?.progressed?.(answer.progress);
      return;
    }
    const request = answer && close(answer.id);
    if (answer?.error === undefined) request?.resolve(answer as never);
    else request?.reject(new Error(answer.error));
  };
  const cancel = (id: string, work: Work) => {
    if (work.kind === "hello") close(id)?.reject(new Error(CANCELLED));
    else if (open.has(id)) model.send({ id: `${id}-stop`, kind: "cancel", of: id });
  };
  model.on("msg:custom", onAnswer);

  return {
    firstId: `${prefix}-1`,
    send(work, signal, progressed) {
      sent += 1;
      const id = `${prefix}-${sent}`;
      const onAbort = () => cancel(id, work);
      signal?.addEventListener("abort", onAbort);
      const answer = new Promise<never>((resolve, reject) => {
        open.set(id, { resolve, reject, progressed });
        try {
          model.send({ id, ...work });
        } catch (error) {
          close(id);
          reject(toError(error));
        }
      });
      return answer.finally(() => signal?.removeEventListener("abort", onAbort));
    },
    rejectAll(reason, except) {
      for (const id of [...open.keys()]) if (id !== except) close(id)?.reject(new Error(reason));
    },
    dispose() {
      model.off("msg:custom", onAnswer);
      open.clear();
    },
  };
}
