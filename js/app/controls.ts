// What every group of controls of the toolbar needs, and why a control is disabled.

import type { Change, DiffView, OptionsView } from "../protocol/types";
import type { Action, KernelWork } from "../state/useKernelWork";

export interface Controls {
  view: DiffView;
  /** The options of the view, or those that were asked for and are not there yet. */
  options: Omit<OptionsView, "given" | "tolerance"> &
    Pick<Change, "given"> & { tolerance: number | string | null };
  work: KernelWork;
  /** Why an action cannot be asked for now; null if it can. */
  disabledReason: (action: Action) => string | null;
}

/** Why options cannot be changed now; while a change is under way another one may follow. */
export function changeDisabledReason({ disabledReason, work: { busy } }: Controls): string | null {
  return disabledReason("change") ?? (busy && busy !== "change" ? "Working…" : null);
}
