import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { Host } from "../host/host";
import { indexNodes } from "../tree/visible";
import type { Diff } from "./context";

let widgets = 0;

export function createUid(): string {
  widgets += 1;
  return `imd-${widgets}-${Math.random().toString(36).slice(2, 8)}`;
}

/** The current state of a host: the component is drawn again at each change. */
export function useHostDiff(host: Host): Diff {
  const [state, setState] = useState(host.state());
  const [uid] = useState(createUid);
  const [panelState] = useState(() => new Map<string, unknown>());
  useLayoutEffect(() => {
    setState(host.state());
    return host.subscribe(() => setState(host.state()));
  }, [host]);
  const { view } = state;
  const index = useMemo(() => indexNodes(view.nodes), [view]);
  return { host, state, view, index, uid, panelState };
}
