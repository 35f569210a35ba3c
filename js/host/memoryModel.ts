// A model for pages without a kernel: same interface, state kept in the page.

import type { Answer, Request, WidgetState } from "../protocol/types";
import type { Model } from "./model";

type Callback = (...args: unknown[]) => void;

export interface MemoryModel extends Model {
  /** What a kernel would send. */
  tell(message: Answer): void;
}

/** `asked` hears what a kernel would be asked. */
export function createMemoryModel(
  initial: WidgetState,
  asked: (request: Request) => void,
): MemoryModel {
  const values: WidgetState = { ...initial };
  const callbacks = new Map<string, Set<Callback>>();
  const call = (event: string, ...args: unknown[]) => {
    for (const callback of [...(callbacks.get(event) ?? [])]) callback(...args);
  };
  return {
    get: (key) => values[key],
    set(key, value) {
      if (values[key] === value) return;
      values[key] = value;
      call(`change:${key}`);
    },
    on(event, callback) {
      const known = callbacks.get(event) ?? new Set();
      callbacks.set(event, known.add(callback as Callback));
    },
    off(event, callback) {
      callbacks.get(event)?.delete(callback as Callback);
    },
    save_changes() {},
    send: asked,
    tell: (message) => call("msg:custom", message),
  };
}
