// A model for pages without a kernel: same interface, state kept in the page.

import { type Model, NO_KERNEL } from "./host";
import type { WidgetState } from "./types";

export function createMemoryModel(initial: WidgetState): Model {
  const values: WidgetState = { ...initial };
  const callbacks = new Map<string, Set<(...args: never[]) => void>>();
  return {
    get: (key) => values[key],
    set(key, value) {
      if (values[key] === value) return;
      values[key] = value;
      for (const callback of [...(callbacks.get(`change:${key}`) ?? [])]) callback();
    },
    on(event, callback) {
      const known = callbacks.get(event) ?? new Set();
      callbacks.set(event, known.add(callback));
    },
    off(event, callback) {
      callbacks.get(event)?.delete(callback);
    },
    save_changes() {},
    send() {
      throw new Error(NO_KERNEL);
    },
  };
}
