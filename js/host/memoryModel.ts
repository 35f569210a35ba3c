// A model without a kernel: the same interface, with its state in memory.

import type { Answer, Request, WidgetState } from "../protocol/types";
import type { Model } from "./model";

type Callback = (...args: unknown[]) => void;

export interface MemoryModel extends Model {
  /** Delivers a message as if a kernel had sent it. */
  tell(message: Answer): void;
}

/** `asked` gets the requests that a kernel would get. */
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
