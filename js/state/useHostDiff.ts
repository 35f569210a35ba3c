import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { Host } from "../host/host";
import type { HostState } from "../host/store";
import { indexNodes } from "../tree/visible";
import type { Diff } from "./context";

let widgets = 0;

export function createUid(): string {
  widgets += 1;
  return `imd-${widgets}-${Math.random().toString(36).slice(2, 8)}`;
}

/** The current state of a host: the component is drawn again at each change. */
export function useHostState(host: Host): HostState {
  const [state, setState] = useState(host.state());
  useLayoutEffect(() => {
    setState(host.state());
    return host.subscribe(() => setState(host.state()));
  }, [host]);
  return state;
}

/** The diff of a state, for the components below. */
export function useDiffOf(host: Host, state: HostState): Diff {
  const [uid] = useState(createUid);
  const [panelState] = useState(() => new Map<string, unknown>());
  const { view } = state;
  const index = useMemo(() => indexNodes(view.nodes), [view]);
  return { host, state, view, index, uid, panelState };
}
