// The state of the kernel, as reported by the notebook host. JupyterLab and Notebook 7 report it, other hosts do not.

interface Signal {
  connect(slot: () => void): unknown;
  disconnect(slot: () => void): unknown;
}

/** The part of JupyterLab's kernel connection that is read here; each field may be absent. */
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
  /** Whether the host says anything about the kernel. */
  reported: boolean;
  /** Why the kernel cannot answer, for ever or for now; null if it can, as far as is known. */
  unavailable(): string | null;
  /** Whether the kernel has nothing left to run, so that it must answer soon; false if that is not known. */
  idle(): boolean;
  dispose(): void;
}

export const NONE = "No kernel: rerun the notebook.";
export const GONE = "The kernel is gone: rerun the notebook.";
export const APART = "Lost the connection to the kernel.";
export const SILENT = "No kernel is responding.";

const LOST = /^(dead|terminating|restarting|autorestarting)$/;
const SIGNALS = ["statusChanged", "connectionStatusChanged", "disposed"] as const;

/** `manager` is the widget manager of the model; undefined in hosts that have none. */
export function watchKernel(manager: unknown, changed: () => void): Kernel {
  const reported = typeof manager === "object" && manager !== null && "kernel" in manager;
  const kernel = (reported ? manager.kernel : null) as Connection | null;
  // A kernel that is lost does not come back: another one does not know this widget.
  let gone = false;
  const look = () => {
    gone ||= Boolean(kernel?.isDisposed) || LOST.test(kernel?.status ?? "");
    changed();
  };
  for (const name of SIGNALS) kernel?.[name]?.connect(look);
  // The status is "idle" also after a message that a thread handled beside a running cell: an answer shows that the cell is done.
  let answered = !kernel?.requestCommInfo;
  const ask = async () => {
    await kernel?.requestCommInfo?.({});
    answered = true;
  };
  ask().catch(() => {});
  return {
    reported,
    unavailable() {
      if (!reported) return null;
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
