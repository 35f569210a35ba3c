// State of a panel that outlives a look at another tab, for which the panel is removed.

import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";

export const PanelMemory = createContext<Map<string, unknown>>(new Map());

export function usePanelState<T>(key: string, initial: T): [T, (value: T) => void] {
  const memory = useContext(PanelMemory);
  const [value, setValue] = useState((memory.get(key) as T | undefined) ?? initial);
  const set = (next: T) => {
    memory.set(key, next);
    setValue(next);
  };
  return [value, set];
}
