// Cohorts of the user's own: conditions, and the kernel's figures for what is shown.

import { useEffect, useRef, useState } from "preact/hooks";
import type { CohortView } from "../protocol/types";
import { messageOf } from "../text/messageOf";
import { useDiff } from "./context";

export interface Cohorts {
  cohorts: readonly CohortView[];
  busy: boolean;
  error: string | null;
  /** Resolves with whether there is an answer. */
  add(condition: string): Promise<boolean>;
  remove(condition: string): void;
  dismiss(): void;
}

interface Kept {
  cohorts: readonly CohortView[];
  /** The view that the figures are of: another one has others. */
  of: unknown;
}

const KEY = "cohorts";

/** They outlive a look at another tab, and are measured again when something else is shown. */
export function useCohorts(enabled: boolean): Cohorts {
  const { host, view, panelState } = useDiff();
  const kept = () => (panelState.get(KEY) as Kept | undefined) ?? { cohorts: [], of: view };
  const [cohorts, setCohorts] = useState(kept().cohorts);
  const [asking, setAsking] = useState(0);
  const [error, setError] = useState<string | null>(null);
  const shown = useRef(view);
  shown.current = view;
  const keep = (next: readonly CohortView[], of: unknown) => {
    panelState.set(KEY, { cohorts: next, of });
    setCohorts(next);
  };
  const ask = async (condition: string) => {
    setAsking((now) => now + 1);
    try {
      return (await host.ask({ kind: "cohort", condition })).cohort;
    } finally {
      setAsking((now) => now - 1);
    }
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another view changes what the figures are of
  useEffect(() => {
    const { cohorts: old, of } = kept();
    if (of === view || old.length === 0 || !enabled) return;
    const again = async () => {
      try {
        const next = await Promise.all(old.map(({ condition }) => ask(condition)));
        if (shown.current === view) keep(next, view);
      } catch (problem) {
        setError(messageOf(problem));
      }
    };
    again();
  }, [view, enabled]);

  const add = async (condition: string) => {
    setError(null);
    try {
      const cohort = await ask(condition);
      const others = kept().cohorts.filter((one) => one.condition !== cohort.condition);
      keep([cohort, ...others], shown.current);
      return true;
    } catch (problem) {
      setError(messageOf(problem));
      return false;
    }
  };
  const remove = (condition: string) =>
    keep(
      kept().cohorts.filter((one) => one.condition !== condition),
      kept().of,
    );
  return { cohorts, busy: asking > 0, error, add, remove, dismiss: () => setError(null) };
}
