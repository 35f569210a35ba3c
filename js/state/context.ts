// The diff that is shown, for every component below App: passing it through each of them would say nothing.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Host } from "../host/host";
import type { HostState } from "../host/store";
import type { DiffView } from "../protocol/types";
import type { TreeIndex } from "../tree/visible";

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

const DiffContext = createContext<Diff | null>(null);

export const DiffProvider = DiffContext.Provider;

export function useDiff(): Diff {
  const diff = useContext(DiffContext);
  if (!diff) throw new Error("useDiff needs a DiffProvider above it");
  return diff;
}
