// One immutable snapshot of the model's traits to draw from, and one way to write to them.

import { type SentView, unpack } from "../protocol/codec";
import type { DiffView, WidgetState } from "../protocol/types";
import type { Model } from "./model";

/** The traits that the user changes here; Python may change them as well. */
export type UserState = Pick<
  WidgetState,
  | "selected_node"
  | "selected_rules"
  | "tab"
  | "differences_only"
  | "folds"
  | "filters"
  | "height"
  | "matrix_order"
>;

export interface KernelState {
  /** Why the kernel does not answer; null if it does. */
  unavailable: string | null;
  /** A request waits until the kernel has finished other work. */
  busy: boolean;
}

export type HostState = WidgetState & { kernel: KernelState };

export interface Store {
  state(): HostState;
  subscribe(listener: () => void): () => void;
  /** Takes a new snapshot and calls the listeners. It never writes: that would send Python's own change back to it. */
  refresh(): void;
  /** Writes the traits that differ from the snapshot, and no others. */
  write(change: Partial<UserState & Pick<WidgetState, "traced">>): void;
  dispose(): void;
}

/** The traits of a widget that was just shown, except its view. */
const DEFAULTS: Omit<WidgetState, "view"> = {
  selected_node: "",
  selected_rules: [],
  tab: "Rules",
  differences_only: true,
  folds: {},
  filters: {},
  traced: null,
  stability: null,
  theme: "auto",
  orientation: "right",
  height: null,
  comparison: null,
  pair: [],
  matrix_order: "similarity",
};
const TRAITS = Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[];
const KEYS = ["view", ...TRAITS] as const;

/** Whether two values of a trait are equal, member by member. */
function isSame(one: unknown, two: unknown): boolean {
  if (one === two) return true;
  if (!one || !two || typeof one !== "object" || typeof two !== "object") return false;
  const entries = Object.entries(one);
  return (
    entries.length === Object.keys(two).length &&
    entries.every(([key, value]) => isSame(value, (two as Record<string, unknown>)[key]))
  );
}

export function createStore(model: Model, kernelState: () => KernelState): Store {
  const listeners = new Set<() => void>();
  let packed: unknown;
  let view: DiffView;

  const snapshot = (): HostState => {
    const state = { kernel: kernelState() } as HostState;
    const now = model.get("view");
    // a matrix of models has no view before a pair is opened
    if (packed !== now && now?.nodes) view = unpack(now as unknown as SentView);
    packed = now;
    for (const key of TRAITS) Object.assign(state, { [key]: model.get(key) ?? DEFAULTS[key] });
    return { ...state, view };
  };
  let state = snapshot();
  const refresh = () => {
    state = snapshot();
    for (const listener of [...listeners]) listener();
  };
  for (const key of KEYS) model.on(`change:${key}`, refresh);

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refresh,
    write(change) {
      const changed = (Object.keys(change) as (keyof typeof change)[]).filter(
        (key) => !isSame(change[key], state[key]),
      );
      for (const key of changed) model.set(key, change[key] as never);
      if (changed.length > 0) model.save_changes();
    },
    dispose() {
      for (const key of KEYS) model.off(`change:${key}`, refresh);
      listeners.clear();
    },
  };
}
