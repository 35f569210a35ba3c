// The controls above the tree.

import { offFor } from "../host/host";
import { useDiff } from "../state/context";
import type { Action, KernelWork } from "../state/useKernelWork";
import { Button } from "../ui/Button";
import { Depth, Given, MostRules, Score, Sensitivity, Tolerance } from "./Options";
import { KernelButtons, Stepper } from "./Steps";
import "./Toolbar.css";

export interface ToolbarProps {
  work: KernelWork;
  /** Undefined where another button saves. */
  onSave: (() => void) | undefined;
  /** Says which nodes a control is about, while the mouse or the focus is on it. */
  onHover: (nodes: readonly string[] | null) => void;
}

export function Toolbar({ work, onSave, onHover }: ToolbarProps) {
  const { host, state, view } = useDiff();
  const differencesOnly = state.differences_only;
  const options = {
    ...view.options,
    given: view.options.given ?? "nothing",
    ...work.wanted,
  } as const;
  const controls = { view, options, work, off: (action: Action) => offFor(state, action) };
  return (
    <div class="imd-toolbar">
      <Button
        class="imd-toggle"
        data-testid="imd-all"
        aria-pressed={differencesOnly}
        title="Fold everything on which the models agree; switch off to see the whole tree"
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
