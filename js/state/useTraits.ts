// The traits of a model that shows one result, without a kernel to ask.

import { useLayoutEffect, useState } from "preact/hooks";
import type { Model } from "../host/model";

/** What `read` makes of a model; the component is drawn again when one of the traits changes. */
export function useTraits<T>(model: Model, names: readonly string[], read: (model: Model) => T): T {
  const [state, setState] = useState(() => read(model));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `read` and `names` are constants of a module
  useLayoutEffect(() => {
    const look = () => setState(read(model));
    for (const name of names) model.on(`change:${name}`, look);
    return () => {
      for (const name of names) model.off(`change:${name}`, look);
    };
  }, [model]);
  return state;
}
