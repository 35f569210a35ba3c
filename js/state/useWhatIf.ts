// Other values of the traced row: a list of edits that can be undone, and what both models give for the last one.

import { useEffect, useState } from "preact/hooks";
import type { SmallestChangeRequest, WhatIfRequest, WhatIfView } from "../protocol/types";
import { useDiff } from "./context";
import { usePanelState } from "./usePanelState";
import { type Query, useQuery } from "./useQuery";

/** Values as text, by the position of their column. */
export type Values = WhatIfRequest["values"];

export interface WhatIf {
  query: Query<WhatIfRequest>;
  /** The last answer: it may be for other values while the next one is computed, or after an error. */
  shown: WhatIfView | null;
  values: Values;
  edited: boolean;
  edit(position: number, value: string): void;
  undo(): void;
  reset(): void;
  /** The smallest change after which the models agree. */
  smallest: Query<SmallestChangeRequest>;
  seeking: boolean;
  seek(): void;
}

/** What was changed of a row. */
export const changesOf = ({ fields }: WhatIfView): Values =>
  Object.fromEntries(
    fields.filter(({ changed }) => changed).map(({ position, value }) => [position, value]),
  );

export function useWhatIf(row: number, enabled: boolean): WhatIf {
  const { host, view } = useDiff();
  const [history, setHistory] = usePanelState<readonly Values[]>(`what if ${row}`, []);
  const [sought, setSought] = useState(0);
  const values = history.at(-1) ?? {};
  const query = useQuery(host, { kind: "what_if", row, values }, view, enabled);
  const shown = query.answer?.what_if ?? null;
  const add = (next: Values) => setHistory([...history, next]);
  const smallest = useQuery(
    host,
    { kind: "smallest_change", row } as const,
    sought,
    enabled && sought > 0,
  );
  const found = smallest.answer?.change.what_if;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was found is put into the editor once
  useEffect(() => {
    if (found) add(changesOf(found));
  }, [found]);
  return {
    query,
    shown,
    values,
    edited: history.length > 0,
    edit(position, value) {
      const original = shown?.fields.find((field) => field.position === position)?.original;
      const { [position]: _, ...others } = values;
      add(value === original ? others : { ...others, [position]: value });
    },
    undo: () => setHistory(history.slice(0, -1)),
    reset: () => Object.keys(values).length > 0 && add({}),
    smallest,
    seeking: sought > 0 && smallest.busy,
    seek: () => setSought(sought + 1),
  };
}
