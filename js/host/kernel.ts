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
  requestCommInfo?: (content: object) => Promise<unknown>;
}

export interface Kernel {
  /** Whether the host tells anything. */
  told: boolean;
  /** Why nobody will ever answer, or not now; null: somebody does, as far as is known. */
  off(): string | null;
  /** Since this is shown, nothing runs in it any more: an answer cannot be far. False where that is not known. */
  idle(): boolean;
  dispose(): void;
}

export const NONE = "There is no kernel: run the notebook again.";
export const GONE = "The kernel behind this picture is gone: run the notebook again.";
export const APART = "The connection to the kernel is lost.";
export const SILENT = "No kernel has answered so far.";

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
  // "idle" is also said by a thread beside a cell that still runs: an answer shows that the cell is done
  let answered = !kernel?.requestCommInfo;
  const ask = async () => {
    await kernel?.requestCommInfo?.({});
    answered = true;
  };
  ask().catch(() => {});
  return {
    told,
    off() {
      if (!told) return null;
      if (!kernel) return NONE;
      if (gone || kernel.isDisposed) return GONE;
      return (kernel.connectionStatus ?? "connected") === "connected" ? null : APART;
    },
    idle: () => answered && kernel?.status === "idle",
    dispose() {
      for (const name of SIGNALS) kernel?.[name]?.disconnect(look);
    },
  };
}
