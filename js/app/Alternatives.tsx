// What rules may use beside the columns, side by side: how many rules, how good they are, and one click to switch.

import { useState } from "preact/hooks";
import type { Alternative } from "../protocol/types";
import { ActionButton } from "../ui/ActionButton";
import { Button } from "../ui/Button";
import { type Controls, changeDisabledReason } from "./controls";
import "./Alternatives.css";

const TITLE =
  "Compare what rules may use: the columns, scores, one model's output, how sure they are. It takes about as long as five comparisons";
const MCC =
  "Matthews correlation between “inside a rule” and “the models differ”, on rows not used to fit: 1 is perfect, 0 is no better than chance";

/** What was compared, and with which options beside `given` and `scores`. */
interface Compared {
  of: string;
  alternatives: readonly Alternative[];
}

/** The comparison that belongs to the options that are shown; null if there is none. */
export function useAlternatives({ view, work }: Controls) {
  const [compared, setCompared] = useState<Compared | null>(null);
  const { given: _given, scores: _scores, ...others } = view.options;
  const of = JSON.stringify([view.names, others, view.metrics.n_differing]);
  return {
    alternatives: compared?.of === of ? compared.alternatives : null,
    compare: () => work.compareAlternatives((alternatives) => setCompared({ of, alternatives })),
    close: () => setCompared(null),
  };
}

interface AlternativesProps {
  controls: Controls;
  found: ReturnType<typeof useAlternatives>;
}

export function AlternativesButton({ controls, found }: AlternativesProps) {
  const { disabledReason, view, work } = controls;
  if (view.metrics.n_differing === 0 || found.alternatives) return null;
  const busy = work.busy === "alternatives";
  return (
    <ActionButton
      id="imd-alternatives"
      disabledReason={disabledReason("alternatives") ?? (work.busy ? "Working…" : null)}
      busy={busy}
      title={TITLE}
      onClick={found.compare}
    >
      {busy ? "Comparing…" : "Compare alternatives"}
    </ActionButton>
  );
}

export function AlternativesTable({ controls, found }: AlternativesProps) {
  const { options, work } = controls;
  const { alternatives } = found;
  if (!alternatives) return null;
  const disabledReason = changeDisabledReason(controls);
  const best = Math.max(...alternatives.map(({ mcc }) => mcc ?? -1));
  return (
    <div class="imd-alternatives" data-testid="imd-alternatives-table">
      <table>
        <thead>
          <tr>
            <th scope="col">Rules may use</th>
            <th scope="col">Rules</th>
            <th scope="col" title={MCC}>
              MCC
            </th>
            <th>
              <Button
                class="imd-alternatives-close"
                aria-label="Close the comparison"
                title="Close"
                onClick={found.close}
              >
                ×
              </Button>
            </th>
          </tr>
        </thead>
        <tbody>
          {alternatives.map(({ name, given, scores, n_rules, mcc }) => {
            const shown = given === options.given && scores === (options.scores ?? false);
            return (
              <tr
                key={`${given} ${scores}`}
                class={shown ? "is-shown" : undefined}
                aria-current={shown}
              >
                <th scope="row">{name}</th>
                <td>{n_rules}</td>
                <td class={mcc === best ? "is-best" : undefined}>
                  {mcc === null ? "–" : mcc.toFixed(2).replace("-", "−")}
                </td>
                <td>
                  <ActionButton
                    id={`imd-use-${given}${scores ? "-scores" : ""}`}
                    label={shown ? `Shown: ${name}` : `Show the rules: ${name}`}
                    disabledReason={shown ? "These rules are shown" : disabledReason}
                    busy={false}
                    title="Show these rules; Undo reverts it"
                    onClick={() => work.change({ given, scores })}
                  >
                    {shown ? "Shown" : "Show"}
                  </ActionButton>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
