// Whether a kernel answers: what the notebook host says about it, and how long greetings stay without an answer.

import { GONE, type Kernel, SILENT, watchKernel } from "./kernel";
import type { Requests } from "./requests";
import type { KernelState } from "./store";

/** A greeting that takes longer than this waits for other work. */
const BUSY_MS = 300;
/** A kernel that has been idle for this long without an answer does not know this widget. */
const UNKNOWN_MS = 4000;
/** The same where the host does not say whether the kernel is idle. */
const SILENT_MS = 12_000;

export interface Presence {
  /** Whether the host says anything about the kernel. */
  reported: boolean;
  state(): KernelState;
  /** Resolves as soon as the kernel is there and free. */
  greet(signal?: AbortSignal): Promise<void>;
  dispose(): void;
}

/**
 * Calls `ready` after `kernel` has been idle without a break for as long as an answer can take. A host
 * that says nothing may show a page without a kernel: there the time is counted from the start.
 */
function afterIdle(kernel: Kernel, ready: () => void): () => void {
  const patience = kernel.reported ? UNKNOWN_MS : SILENT_MS;
  let idleSince: number | null = null;
  const timer = setInterval(() => {
    idleSince = kernel.idle() || !kernel.reported ? (idleSince ?? Date.now()) : null;
    if (idleSince === null || Date.now() - idleSince < patience) return;
    clearInterval(timer);
    ready();
  }, UNKNOWN_MS / 4);
  return () => clearInterval(timer);
}

export function createPresence(
  manager: unknown,
  requests: Requests,
  changed: () => void,
): Presence {
  /** A notebook that was opened again shows a widget that its kernel does not know. */
  let unknownKernel = false;
  /** The number of greetings that have waited for longer than a free kernel needs. */
  let late = 0;

  const unavailable = () =>
    kernel.unavailable() ?? (unknownKernel ? (kernel.reported ? GONE : SILENT) : null);
  const kernelChanged = () => {
    const lost = kernel.unavailable();
    if (lost !== null) requests.rejectAll(lost);
    // A kernel that is there may only be slow: an answer to the first greeting still proves that it knows the widget.
    else if (unknownKernel && kernel.reported) requests.rejectAll(GONE, requests.firstId);
    changed();
  };
  const kernel = watchKernel(manager, kernelChanged);

  const firstGreeting = () => {
    const stop = afterIdle(kernel, () => {
      unknownKernel = true;
      kernelChanged();
    });
    const answered = () => {
      stop();
      if (!unknownKernel) return;
      unknownKernel = false;
      changed();
    };
    requests.send({ kind: "hello" }).then(answered, stop);
    return stop;
  };
  const stopWaiting = unavailable() === null ? firstGreeting() : () => {};

  const addLate = (count: number) => {
    late += count;
    changed();
  };
  return {
    reported: kernel.reported,
    state: () => ({ unavailable: unavailable(), busy: late > 0 }),
    async greet(signal) {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        addLate(1);
      }, BUSY_MS);
      try {
        await requests.send({ kind: "hello" }, signal);
      } finally {
        clearTimeout(timer);
        if (isLate) addLate(-1);
      }
    },
    dispose() {
      stopWaiting();
      kernel.dispose();
    },
  };
}
