// Between the notebook's model and the view: one snapshot to draw from, one way to write, one way to ask.

import type { Answer, AnswerTo, Request, WidgetState, Work } from "./types";

export const NO_KERNEL = "Needs a running kernel: open the notebook.";

/** The part of an anywidget model that we use; a page without a kernel brings its own. */
export interface Model {
  get<K extends keyof WidgetState>(key: K): WidgetState[K];
  set<K extends keyof WidgetState>(key: K, value: WidgetState[K]): void;
  on(event: string, callback: (...args: never[]) => void): void;
  off(event: string, callback: (...args: never[]) => void): void;
  save_changes(): void;
  send(content: Request): void;
}

export type Selection = Pick<WidgetState, "selected_node" | "selected_rules">;

export interface Host {
  /** Whether someone is there to answer `ask`. */
  readonly canAsk: boolean;
  state(): WidgetState;
  subscribe(listener: () => void): () => void;
  select(change: Partial<Selection>): void;
  /** Resolves with Python's answer, rejects with its error text, or with the reason why nobody answers. */
  ask<W extends Work>(work: W): Promise<AnswerTo<W["kind"]>>;
  /** Follows a row through the tree; null stops it, which needs no kernel. */
  trace(row: number | null): Promise<unknown>;
  dispose(): void;
}

const KEYS = ["view", "selected_node", "selected_rules", "theme", "height", "traced"] as const;

function snapshot(model: Model): WidgetState {
  return {
    view: model.get("view"),
    selected_node: model.get("selected_node") ?? "",
    selected_rules: model.get("selected_rules") ?? [],
    theme: model.get("theme") ?? "auto",
    height: model.get("height") ?? 560,
    traced: model.get("traced") ?? null,
  };
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

let mounted = 0;

export function createHost(model: Model, canAsk: boolean): Host {
  const listeners = new Set<() => void>();
  const waiting = new Map<
    string,
    { resolve: (answer: never) => void; reject: (error: Error) => void }
  >();
  // Answers reach every view of the model: the prefix tells ours from those of another view.
  mounted += 1;
  const prefix = `${mounted}-${Math.random().toString(36).slice(2)}`;
  let asked = 0;
  let state = snapshot(model);

  // Only reads: writing here would send Python's own change back to it.
  const refresh = () => {
    state = snapshot(model);
    for (const listener of [...listeners]) listener();
  };
  const answered = (message: Answer) => {
    const request = message && waiting.get(message.id);
    if (!request) return;
    waiting.delete(message.id);
    if (message.error === undefined) request.resolve(message as never);
    else request.reject(new Error(message.error));
  };

  const ask: Host["ask"] = (work) => {
    if (!canAsk) return Promise.reject(new Error(NO_KERNEL));
    asked += 1;
    const id = `${prefix}-${asked}`;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      try {
        model.send({ id, ...work });
      } catch (error) {
        waiting.delete(id);
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  };

  for (const key of KEYS) model.on(`change:${key}`, refresh);
  model.on("msg:custom", answered);

  return {
    canAsk,
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    select(change) {
      const node = change.selected_node ?? state.selected_node;
      const rules = change.selected_rules ?? state.selected_rules;
      const sameNode = node === state.selected_node;
      const sameRules = sameNumbers(rules, state.selected_rules);
      if (sameNode && sameRules) return;
      if (!sameNode) model.set("selected_node", node);
      if (!sameRules) model.set("selected_rules", rules);
      model.save_changes();
    },
    ask,
    trace(row) {
      if (canAsk || row !== null) return ask({ kind: "trace", row });
      model.set("traced", null);
      return Promise.resolve();
    },
    dispose() {
      for (const key of KEYS) model.off(`change:${key}`, refresh);
      model.off("msg:custom", answered);
      listeners.clear();
      waiting.clear();
    },
  };
}
