// An answer of the kernel as state: asked for again when the question changes, with the last answer shown meanwhile.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Host } from "../host/host";
import { CANCELLED } from "../host/requests";
import type { AnswerTo, ProgressView, Work } from "../protocol/types";
import { messageOf } from "../text/messageOf";

interface Shown<W extends Work> {
  /** The last answer, and what it answers: that may be an older question. */
  answer: AnswerTo<W["kind"]> | null;
  answered: W | null;
  busy: boolean;
  error: string | null;
  /** How much of the work is done, where the kernel tells. */
  progress: ProgressView | null;
}

export interface Query<W extends Work> extends Shown<W> {
  retry(): void;
  /** Cancels what is under way. */
  cancel(): void;
  /** Shows other work, and its error, in the same place. */
  run(task: () => Promise<unknown>): Promise<void>;
}

/**
 * Asks for `work` when it or `version` changes. A question that another one replaces is cancelled, and
 * its answer is not shown. Nothing is asked while `enabled` is false.
 */
export function useQuery<W extends Work>(
  host: Host,
  work: W,
  version: unknown,
  enabled: boolean,
): Query<W> {
  const [shown, setShown] = useState<Shown<W>>({
    answer: null,
    answered: null,
    busy: true,
    error: null,
    progress: null,
  });
  const cancel = useRef(() => {});
  const [attempt, setAttempt] = useState(0);
  const begin = () => setShown((now) => ({ ...now, busy: true, error: null, progress: null }));
  const finish = (change: Partial<Shown<W>>) =>
    setShown((now) => ({ ...now, busy: false, ...change }));
  const question = JSON.stringify(work);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `question` stands for `work`, a new object at each draw; `version` and `attempt` ask again
  useEffect(() => {
    if (!enabled) return;
    const replaced = new AbortController();
    begin();
    const done = (change: Partial<Shown<W>>) => !replaced.signal.aborted && finish(change);
    cancel.current = () => {
      done({ error: CANCELLED });
      replaced.abort();
    };
    const progressed = (progress: ProgressView) => done({ busy: true, progress });
    host.ask(work, replaced.signal, progressed).then(
      (answer) => done({ answer, answered: work }),
      (problem) => done({ error: messageOf(problem) }),
    );
    return () => replaced.abort();
  }, [host, enabled, version, question, attempt]);

  const run = async (task: () => Promise<unknown>) => {
    begin();
    let error: string | null = null;
    try {
      await task();
    } catch (problem) {
      error = messageOf(problem);
    }
    finish({ error });
  };
  const retry = () => setAttempt((now) => now + 1);
  return { ...shown, retry, cancel: () => cancel.current(), run };
}
