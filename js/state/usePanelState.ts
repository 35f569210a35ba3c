import { useState } from "preact/hooks";
import { useDiff } from "./context";

/** State of a panel that outlives a look at another tab. */
export function usePanelState<T>(key: string, initial: T): [T, (value: T) => void] {
  const { panelState } = useDiff();
  const [value, setValue] = useState((panelState.get(key) as T | undefined) ?? initial);
  const set = (next: T) => {
    panelState.set(key, next);
    setValue(next);
  };
  return [value, set];
}
