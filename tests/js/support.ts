// A stand-in for the notebook's model that remembers what was done to it.

import { vi } from "vitest";
import type { Model } from "../../js/host/model";
import type { Answer, Progress, Request, WidgetState } from "../../js/protocol/types";

export interface StubModel extends Model {
  save_changes: ReturnType<typeof vi.fn<() => void>>;
  /** What was asked for, but for greetings: those are answered while the kernel is free. */
  sent: Request[];
  free: boolean;
  become(free: boolean): void;
  /** As if Python had changed a trait. */
  receive<K extends keyof WidgetState>(key: K, value: WidgetState[K]): void;
  answer(message: Answer & Partial<Progress>): void;
  listeners(): number;
}

export function stubModel(initial: WidgetState): StubModel {
  const values = { ...initial };
  const callbacks = new Map<string, Set<(...args: never[]) => void>>();
  const fire = (event: string, ...args: unknown[]) => {
    for (const callback of [...(callbacks.get(event) ?? [])])
      (callback as (...args: unknown[]) => void)(...args);
  };
  const sent: Request[] = [];
  const write: Model["set"] = (key, value) => {
    values[key] = value;
    fire(`change:${key}`);
  };
  const greetings: string[] = [];
  const stub: StubModel = {
    get: (key) => values[key],
    set: vi.fn(write) as unknown as Model["set"],
    on(event, callback) {
      callbacks.set(event, (callbacks.get(event) ?? new Set()).add(callback));
    },
    off(event, callback) {
      callbacks.get(event)?.delete(callback);
    },
    save_changes: vi.fn(),
    send(request) {
      if (request.kind !== "hello") sent.push(request);
      else if (stub.free) queueMicrotask(() => fire("msg:custom", { id: request.id }));
      else greetings.push(request.id);
    },
    sent,
    free: true,
    become(free) {
      stub.free = free;
      if (free) for (const id of greetings.splice(0)) fire("msg:custom", { id });
    },
    receive: write,
    answer: (message) => fire("msg:custom", message),
    listeners: () => [...callbacks.values()].reduce((sum, known) => sum + known.size, 0),
  };
  return stub;
}

/** A kernel connection as JupyterLab has it. */
export function fakeKernel(status = "idle") {
  const signal = () => {
    const slots = new Set<() => void>();
    return {
      connect: (slot: () => void) => slots.add(slot),
      disconnect: (slot: () => void) => slots.delete(slot),
      emit: () => {
        for (const slot of [...slots]) slot();
      },
      slots,
    };
  };
  const kernel = {
    status,
    connectionStatus: "connected",
    isDisposed: false,
    statusChanged: signal(),
    connectionStatusChanged: signal(),
    disposed: signal(),
    become(now: string) {
      kernel.status = now;
      kernel.statusChanged.emit();
    },
  };
  return kernel;
}

/** Lets effects, promises and a frame run. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setTimeout(resolve, 20));
}
