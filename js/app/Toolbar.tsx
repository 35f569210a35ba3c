// The controls above the tree.

import { unavailableReason } from "../host/host";
import { useDiff, useWidget } from "../state/context";
import type { Action } from "../state/useKernelWork";
import { Button } from "../ui/Button";
import { Depth, Given, MostRules, Score, Sensitivity, Tolerance } from "./Options";
import { KernelButtons, Stepper } from "./Steps";
import "./Toolbar.css";

export interface ToolbarProps {
  /** Undefined where another button saves. */
  onSave: (() => void) | undefined;
  /** Called with the nodes that a control affects, while the mouse or the focus is on it. */
  onHover: (nodes: readonly string[] | null) => void;
}

export function Toolbar({ onSave, onHover }: ToolbarProps) {
  const { work } = useWidget();
  const { host, state, view } = useDiff();
  const differencesOnly = state.differences_only;
  const options = {
    ...view.options,
    given: view.options.given ?? "nothing",
    ...work.wanted,
  } as const;
  const controls = {
    view,
    options,
    work,
    disabledReason: (action: Action) => unavailableReason(state, action),
  };
  return (
    <div class="imd-toolbar">
      <Button
        class="imd-toggle"
        data-testid="imd-all"
        aria-pressed={differencesOnly}
        title="Fold the parts where the models agree; turn off to see the whole tree"
        onClick={() => host.set({ differences_only: !differencesOnly, folds: {} })}
      >
        <i aria-hidden="true" />
        Differences only
      </Button>
      <Depth {...controls} />
      {options.tunable && <Sensitivity {...controls} />}
      {options.tunable && <Score {...controls} />}
      {options.tunable && <Given {...controls} />}
      {options.tunable && <MostRules {...controls} />}
      <Tolerance {...controls} />
      {(view.refinement.prepared ?? null) !== null ? (
        <Stepper {...controls} onHover={onHover} />
      ) : (
        <KernelButtons {...controls} onSave={onSave} onHover={onHover} />
      )}
    </div>
  );
}
