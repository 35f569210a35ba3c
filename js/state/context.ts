// The widget, and the diff that is shown, for every component below App.

import { type ComponentChildren, createContext, type RefObject } from "preact";
import { type MutableRef, useContext } from "preact/hooks";
import type { Host } from "../host/host";
import type { HostState } from "../host/store";
import type { DiffView } from "../protocol/types";
import type { TreeControls } from "../tree/useCamera";
import type { TreeIndex } from "../tree/visible";
import type { FitHeight } from "./useFittedHeight";
import type { KernelWork } from "./useKernelWork";

export interface Widget {
  host: Host;
  state: HostState;
  /** Work of the kernel that a button starts. */
  work: KernelWork;
  controls: RefObject<TreeControls>;
  /** Clears one thing in the diff; it returns false if there is none. */
  dismissInDiff: MutableRef<() => boolean>;
  dismiss(): boolean;
  printing: boolean;
  help: boolean;
  closeHelp(): void;
  /** Downloads a page under this name. */
  onSave(name: string): void;
  /** Pixels. */
  height: number;
  fitHeight: FitHeight;
  /** The buttons in the upper right corner. */
  corner: ComponentChildren;
}

export interface Diff {
  host: Host;
  state: HostState;
  /** The view of `state`. */
  view: DiffView;
  index: TreeIndex;
  /** A prefix for ids in the DOM: several widgets may be on one page. */
  uid: string;
  /** State of panels by key (usePanelState): a panel is removed while another tab is shown. */
  panelState: Map<string, unknown>;
}

const WidgetContext = createContext<Widget | null>(null);
const DiffContext = createContext<Diff | null>(null);

export const WidgetProvider = WidgetContext.Provider;
export const DiffProvider = DiffContext.Provider;

export function useWidget(): Widget {
  const widget = useContext(WidgetContext);
  if (!widget) throw new Error("useWidget needs a WidgetProvider above it");
  return widget;
}

export function useDiff(): Diff {
  const diff = useContext(DiffContext);
  if (!diff) throw new Error("useDiff needs a DiffProvider above it");
  return diff;
}
