// What the notebook host says about the kernel behind the widget. JupyterLab and Notebook 7 do, other hosts say nothing.

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
  told: boolean;
  /** Why the kernel cannot answer, for ever or for now; null if it can, as far as is known. */
  off(): string | null;
  /** Whether the kernel has nothing left to run, so that it must answer soon; false if that is not known. */
  idle(): boolean;
  dispose(): void;
}

export const NONE = "There is no kernel: run the notebook again.";
export const GONE = "The kernel behind this picture is gone: run the notebook again.";
export const APART = "The connection to the kernel is lost.";
export const SILENT = "No kernel has answered so far.";

const LOST = /^(dead|terminating|restarting|autorestarting)$/;
const SIGNALS = ["statusChanged", "connectionStatusChanged", "disposed"] as const;

/** `manager` is the widget manager of the model; undefined in hosts that have none. */
export function watchKernel(manager: unknown, changed: () => void): Kernel {
  const told = typeof manager === "object" && manager !== null && "kernel" in manager;
  const kernel = (told ? manager.kernel : null) as Connection | null;
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
