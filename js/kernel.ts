// What the host tells of the kernel behind the widget. JupyterLab and Notebook 7 tell all of this, others nothing.

interface Signal {
  connect(slot: () => void): unknown;
  disconnect(slot: () => void): unknown;
}

/** The part of JupyterLab's kernel connection that we read; none of it may be there. */
interface Connection {
  status?: string;
  connectionStatus?: string;
  isDisposed?: boolean;
  statusChanged?: Signal;
  connectionStatusChanged?: Signal;
  disposed?: Signal;
}

export interface Kernel {
  /** Why nobody will ever answer, or not now; null: somebody does, as far as is known. */
  off(): string | null;
  /** Nothing runs in it, so that an answer cannot be far; false where that is not known. */
  idle(): boolean;
  dispose(): void;
}

export const NONE = "There is no kernel: run the cell again.";
export const GONE = "The kernel behind this picture is gone: run the cell again.";
export const APART = "The connection to the kernel is lost.";

const LOST = /^(dead|terminating|restarting|autorestarting)$/;
const SIGNALS = ["statusChanged", "connectionStatusChanged", "disposed"] as const;

/** `manager`: of the widget model, where there is one. */
export function watchKernel(manager: unknown, changed: () => void): Kernel {
  const told = typeof manager === "object" && manager !== null && "kernel" in manager;
  const kernel = (told ? manager.kernel : null) as Connection | null;
  // another kernel may come, but not the one that knows this widget
  let gone = false;
  const look = () => {
    gone ||= Boolean(kernel?.isDisposed) || LOST.test(kernel?.status ?? "");
    changed();
  };
  for (const name of SIGNALS) kernel?.[name]?.connect(look);
  return {
    off() {
      if (!told) return null;
      if (!kernel) return NONE;
      if (gone || kernel.isDisposed) return GONE;
      return (kernel.connectionStatus ?? "connected") === "connected" ? null : APART;
    },
    idle: () => kernel?.status === "idle",
    dispose() {
      for (const name of SIGNALS) kernel?.[name]?.disconnect(look);
    },
  };
}
