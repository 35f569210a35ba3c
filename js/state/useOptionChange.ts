// Changes of options: many moves of a control make one request.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Change } from "../protocol/types";

/** A slider that is being moved changes again before this. */
const CHANGE_MS = 250;

/**
 * The options that the user wants, from the first move of a control until the answer. Many moves make
 * one request, and a later request replaces the one before it.
 */
export function useOptionChange(ask: (options: Change, replaced: AbortSignal) => Promise<unknown>) {
  const [wanted, setWanted] = useState<Change>({});
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const pending = useRef<Change>({});
  const replaced = useRef(new AbortController());
  useEffect(() => () => clearTimeout(timer.current), []);
  const want = (options: Change) => {
    pending.current = options;
    setWanted(options);
    clearTimeout(timer.current);
  };
  const change = (options: Change) => {
    const all = { ...pending.current, ...options };
    want(all);
    timer.current = setTimeout(async () => {
      replaced.current.abort();
      replaced.current = new AbortController();
      await ask(all, replaced.current.signal);
      // Otherwise a later move is waiting for its turn.
      if (pending.current === all) want({});
    }, CHANGE_MS);
  };
  return { wanted, change, discard: () => want({}) };
}
