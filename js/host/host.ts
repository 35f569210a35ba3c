// What the front-end knows of the notebook: a snapshot to draw from, one way to write, one way to ask Python for work.

import { CHANGING } from "../protocol/schema";
import type { AnswerTo, Work } from "../protocol/types";
import { pokeMarimo } from "./marimo";
import type { Model } from "./model";
import { createPresence } from "./presence";
import { createRequests, type Progressed } from "./requests";
import { createStore, type HostState, type UserState } from "./store";

export interface Host {
  state(): HostState;
  subscribe(listener: () => void): () => void;
  /** Writes the traits that differ from the state, and no others. */
  set(change: Partial<UserState>): void;
  /**
   * Resolves with Python's answer, rejects with its error text, or with the reason why nobody answers.
   * The signal drops work that waits for the kernel and cancels work under way. Each call takes two
   * round trips: a greeting first, because a message in the kernel's queue cannot be called back.
   */
  ask<W extends Work>(
    work: W,
    signal?: AbortSignal,
    progressed?: Progressed,
  ): Promise<AnswerTo<W["kind"]>>;
  /** Follows a row through the tree; null stops following it, without a kernel. */
  trace(row: number | null): Promise<unknown>;
  dispose(): void;
}

/** Why work of this kind cannot be asked for now; null if it can. */
export const unavailableReason = ({ kernel, view }: HostState, kind: Work["kind"]): string | null =>
  view?.lacks?.[kind] ?? (kind === "csv" ? view?.lacks?.rows : undefined) ?? kernel.unavailable;

export function createHost(model: Model): Host {
  const requests = createRequests(model);
  const presence = createPresence(model.widget_manager, requests, () => store.refresh());
  const store = createStore(model, presence.state);
  /** Stops the request for the row that is followed: another row, or none, replaces it. */
  let following = new AbortController();

  const ask: Host["ask"] = async (work, signal, progressed) => {
    const reason = unavailableReason(store.state(), work.kind);
    if (reason !== null) throw new Error(reason);
    await presence.greet(signal);
    const answer = await requests.send(work, signal, progressed);
    if (CHANGING.includes(work.kind) && !presence.reported) pokeMarimo(model);
    return answer;
  };

  return {
    state: store.state,
    subscribe: store.subscribe,
    set: store.write,
    ask,
    async trace(row) {
      following.abort();
      following = new AbortController();
      const { signal } = following;
      if (row === null) store.write({ traced: null });
      else
        await ask({ kind: "trace", row }, signal).catch((problem) => {
          // the error of a request that another row replaced is of no interest
          if (!signal.aborted) throw problem;
        });
    },
    dispose() {
      presence.dispose();
      store.dispose();
      requests.dispose();
    },
  };
}
