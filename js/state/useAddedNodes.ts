import { useEffect, useRef, useState } from "preact/hooks";
import type { DiffView } from "../protocol/types";

const FLASH_MS = 1800;
const NONE: ReadonlySet<string> = new Set();

/** Ids of the nodes that the last refinement added, for as long as they flash; none at the first draw. */
export function useAddedNodes(view: DiffView): ReadonlySet<string> {
  const before = useRef(view);
  const [added, setAdded] = useState(NONE);
  useEffect(() => {
    const refined = view.refinement.steps > before.current.refinement.steps;
    before.current = view;
    if (!refined) {
      setAdded(NONE);
      return;
    }
    setAdded(new Set(view.refinement.added));
    const timer = setTimeout(() => setAdded(NONE), FLASH_MS);
    return () => clearTimeout(timer);
  }, [view]);
  return added;
}
