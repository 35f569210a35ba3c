// Between the notebook's model and the view: one snapshot to draw from, one way to write, one way to ask.

import { type SentView, unpack } from "../protocol/codec";
import type { Answer, AnswerTo, DiffView, Request, WidgetState, Work } from "../protocol/types";
import { GONE, type Kernel, SILENT, watchKernel } from "./kernel";

export const CANCELLED = "Cancelled: what is shown has not changed.";

/** The part of an anywidget model that we use; a page without a kernel brings its own (page.ts). */
export interface Model {
  get<K extends keyof WidgetState>(key: K): WidgetState[K];
  set<K extends keyof WidgetState>(key: K, value: WidgetState[K]): void;
  on(event: string, callback: (...args: never[]) => void): void;
  off(event: string, callback: (...args: never[]) => void): void;
  save_changes(): void;
  send(content: Request): void;
  widget_manager?: unknown;
}

/** What the user changes here and Python may change as well. */
export type Own = Pick<
  WidgetState,
  "selected_node" | "selected_rules" | "tab" | "differences_only" | "folds" | "filters"
>;

export interface KernelState {
  /** Why nobody answers; null when somebody does. */
  off: string | null;
  /** Something that was asked for waits for other work of the kernel. */
  busy: boolean;
}

export type HostState = WidgetState & { kernel: KernelState };

export interface Host {
  state(): HostState;
  subscribe(listener: () => void): () => void;
  /** Writes what differs from what is there, and nothing else. */
  set(change: Partial<Own>): void;
  /**
   * Resolves with Python's answer, rejects with its error text, or with the reason why nobody
   * answers. By the signal, work that waits for the kernel is dropped and work under way cancelled.
   */
  ask<W extends Work>(work: W, signal?: AbortSignal): Promise<AnswerTo<W["kind"]>>;
  /** Follows a row through the tree; null stops it, which needs no kernel. */
  trace(row: number | null): Promise<unknown>;
  dispose(): void;
}

/** State of a widget that was just shown, but for what there is to show. */
const BLANK: Omit<WidgetState, "view"> = {
  selected_node: "",
  selected_rules: [],
  tab: "Rules",
  differences_only: true,
  folds: {},
  filters: {},
  traced: null,
  theme: "auto",
  orientation: "right",
  height: 560,
};
const TRAITS = Object.keys(BLANK) as (keyof typeof BLANK)[];
const KEYS = ["view", ...TRAITS] as const;

/** An answer that takes longer waits for other work. */
const SOON_MS = 300;
/** A kernel that has been idle for so long and has not answered does not know us. */
const STRANGE_MS = 4000;
/** Where it is not known what the kernel does. */
const SILENT_MS = 12_000;

/** Work that leaves another state behind. */
const CHANGING: ReadonlySet<Work["kind"]> = new Set(["refine", "undo", "change", "trace"]);

interface Waiting {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

let mounted = 0;

/** Why something cannot be asked for now; null when it can. */
export const offFor = ({ kernel, view }: HostState, kind: Work["kind"]): string | null =>
  view.lacks?.[kind] ?? kernel.off;

export function createHost(model: Model): Host {
  const listeners = new Set<() => void>();
  const waiting = new Map<string, Waiting>();
  // Answers reach every view of the model: the prefix tells ours from those of another view.
  mounted += 1;
  const prefix = `${mounted}-${Math.random().toString(36).slice(2)}`;
  const greeting = `${prefix}-1`;
  let asked = 0;
  /** Questions that have waited for longer than a free kernel needs. */
  let late = 0;
  let stranger = false;
  let sent: unknown;
  let view: DiffView;
  /** Of the row that was asked for last: another one, or none, takes its place. */
  let following = new AbortController();

  const snapshot = (): HostState => {
    const state = { kernel: kernelState() } as HostState;
    const now = model.get("view");
    if (sent !== now) view = unpack(now as unknown as SentView);
    sent = now;
    for (const key of TRAITS) Object.assign(state, { [key]: model.get(key) ?? BLANK[key] });
    return { ...state, view };
  };
  // Only reads: writing here would send Python's own change back to it.
  const refresh = () => {
    state = snapshot();
    for (const listener of [...listeners]) listener();
  };
  const strange = () => (stranger ? (kernel.told ? GONE : SILENT) : null);
  const off = () => kernel.off() ?? strange();
  const kernelState = (): KernelState => ({
    off: off(),
    busy: late > 0,
  });
  const kernelChanged = () => {
    const reason = off();
    if (reason !== null) {
      for (const [id, { reject }] of waiting) {
        // a kernel that is there may have been slow to answer: then it is no stranger
        if (kernel.off() === null && (id === greeting || !kernel.told)) continue;
        waiting.delete(id);
        reject(new Error(reason));
      }
    }
    refresh();
  };
  const kernel: Kernel = watchKernel(model.widget_manager, kernelChanged);
  let state = snapshot();

  const answered = (message: Answer) => {
    const request = message && waiting.get(message.id);
    if (!request) return;
    waiting.delete(message.id);
    if (message.error === undefined) request.resolve(message as never);
    else request.reject(new Error(message.error));
  };

  const request = (work: Work, signal?: AbortSignal): Promise<never> => {
    asked += 1;
    const id = `${prefix}-${asked}`;
    const stop = () => {
      if (work.kind === "hello") {
        waiting.get(id)?.reject(new Error(CANCELLED));
        waiting.delete(id);
        // whether it comes in time only Python knows: its answer says so
      } else if (waiting.has(id)) model.send({ id: `${id}-stop`, kind: "cancel", of: id });
    };
    signal?.addEventListener("abort", stop);
    const answer = new Promise<never>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      try {
        model.send({ id, ...work });
      } catch (error) {
        waiting.delete(id);
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    return answer.finally(() => signal?.removeEventListener("abort", stop));
  };

  /** Resolves as soon as the kernel is there and free. */
  const hello = async (signal?: AbortSignal) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      late += 1;
      refresh();
    }, SOON_MS);
    try {
      await request({ kind: "hello" }, signal);
    } finally {
      clearTimeout(timer);
      if (isLate) {
        late -= 1;
        refresh();
      }
    }
  };

  // The first greeting: a notebook that was opened again shows a widget that its kernel does not know.
  let idleSince: number | null = null;
  const meet = setInterval(() => {
    // a host that tells nothing may show a page that has no kernel at all: there only time tells
    idleSince = kernel.idle() || !kernel.told ? (idleSince ?? Date.now()) : null;
    const patience = kernel.told ? STRANGE_MS : SILENT_MS;
    if (idleSince === null || Date.now() - idleSince < patience) return;
    clearInterval(meet);
    stranger = true;
    kernelChanged();
  }, STRANGE_MS / 4);
  const met = () => {
    clearInterval(meet);
    if (stranger) {
      stranger = false;
      refresh();
    }
  };
  if (off() === null) request({ kind: "hello" }).then(met, () => clearInterval(meet));
  if (off() !== null) clearInterval(meet);

  const ask: Host["ask"] = async (work, signal) => {
    const reason = offFor(state, work.kind);
    if (reason !== null) throw new Error(reason);
    // What waits in the kernel's queue cannot be called back: so it is sent when there is no queue.
    await hello(signal);
    const answer = await request(work, signal);
    if (CHANGING.has(work.kind) && !kernel.told) stir();
    return answer;
  };
  // marimo runs the cells that read the widget when the widget saves a trait, not when Python changes one: so a
  // trait is saved as it is, which other hosts take for no change.
  const stir = () => {
    model.set("theme", state.theme);
    model.save_changes();
  };

  for (const key of KEYS) model.on(`change:${key}`, refresh);
  model.on("msg:custom", answered);

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(change) {
      const news = (Object.keys(change) as (keyof Own)[]).filter(
        (key) => JSON.stringify(change[key]) !== JSON.stringify(state[key]),
      );
      for (const key of news) model.set(key, change[key] as never);
      if (news.length > 0) model.save_changes();
    },
    ask,
    async trace(row) {
      following.abort();
      following = new AbortController();
      const { signal } = following;
      if (row !== null) {
        // of a row that another one replaced nobody needs to hear
        await ask({ kind: "trace", row }, signal).catch((problem) => {
          if (!signal.aborted) throw problem;
        });
      } else if (state.traced !== null) {
        model.set("traced", null);
        model.save_changes();
      }
    },
    dispose() {
      clearInterval(meet);
      kernel.dispose();
      for (const key of KEYS) model.off(`change:${key}`, refresh);
      model.off("msg:custom", answered);
      listeners.clear();
      waiting.clear();
    },
  };
}
