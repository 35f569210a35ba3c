// The controls above the tree: one line, and below it, on demand, the options that are changed rarely.

import { useState } from "preact/hooks";
import { unavailableReason } from "../host/host";
import { useDiff, useWidget } from "../state/context";
import { isPage } from "../state/useExplain";
import type { Action } from "../state/useKernelWork";
import { ActionButton } from "../ui/ActionButton";
import { Button } from "../ui/Button";
import { AlternativesButton, AlternativesTable, useAlternatives } from "./Alternatives";
import type { Controls } from "./controls";
import { Scores, Sets, Sure } from "./Flags";
import { Method } from "./Method";
import { Depth, Given, MostRules, Score, Sensitivity, Tolerance } from "./Options";
import { optionsText } from "./optionsText";
import { KernelButtons, SaveButton, Stepper } from "./Steps";
import "./Toolbar.css";

export interface ToolbarProps {
  /** Undefined where another button saves. */
  onSave: (() => void) | undefined;
  /** Called with the nodes that a control affects, while the mouse or the focus is on it. */
  onHover: (nodes: readonly string[] | null) => void;
  onGrow: () => void;
}

export function Toolbar({ onSave, onHover, onGrow }: ToolbarProps) {
  const { work } = useWidget();
  const { state, view, uid } = useDiff();
  const [open, setOpen] = useState(false);
  const options = {
    ...view.options,
    given: view.options.given ?? "nothing",
    ...work.wanted,
  } as const;
  const controls: Controls = {
    view,
    options,
    work,
    disabledReason: (action: Action) => unavailableReason(state, action),
  };
  const prepared = isPage(view);
  const closeByKey = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    if (event.key !== "Escape" || !open) return;
    event.stopPropagation();
    setOpen(false);
    event.currentTarget.querySelector<HTMLElement>(".imd-options-button")?.focus();
  };
  const summary = optionsText(controls);
  const found = useAlternatives(controls);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what the button in it opens
    <div class={open ? "imd-toolbar is-open" : "imd-toolbar"} onKeyDown={closeByKey}>
      <div class="imd-line-up">
        <span class="imd-quick">
          {prepared ? (
            <Stepper {...controls} onHover={onHover} />
          ) : (
            <KernelButtons {...controls} onHover={onHover} />
          )}
          <DifferencesOnly />
          <ActionButton
            id="imd-grow"
            disabledReason={controls.disabledReason("growth")}
            busy={work.busy === "growth"}
            title="Watch the joint tree grow node by node, with the reason for each step"
            onClick={onGrow}
          >
            Step through growth
          </ActionButton>
        </span>
        <Button
          class="imd-options-button"
          data-testid="imd-options"
          aria-expanded={open}
          aria-controls={`${uid}-options`}
          title={`${open ? "Hide" : prepared ? "Show" : "Change"} the options. ${summary}`}
          onClick={() => setOpen(!open)}
        >
          <span class="imd-options-text">
            <span class="imd-narrow">Controls · </span>
            {summary}
          </span>
          <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
            <path d={open ? "M1,7L5,3L9,7" : "M1,3L5,7L9,3"} />
          </svg>
        </Button>
        {onSave && !prepared && (
          <span class="imd-quick">
            <SaveButton
              title="Download this view as diff.html, an interactive page that needs no kernel"
              onClick={onSave}
            />
          </span>
        )}
      </div>
      <div id={`${uid}-options`} class="imd-options" hidden={!open}>
        {open &&
          (prepared ? (
            <p>{summary}. To change these, run the notebook.</p>
          ) : (
            <RareOptions controls={controls} found={found} />
          ))}
      </div>
    </div>
  );
}

interface RareOptionsProps {
  controls: Controls;
  found: ReturnType<typeof useAlternatives>;
}

function RareOptions({ controls, found }: RareOptionsProps) {
  const { tunable } = controls.options;
  return (
    <>
      <Method {...controls} />
      <Depth {...controls} />
      {tunable && <Sensitivity {...controls} />}
      {tunable && <Score {...controls} />}
      {tunable && <Given {...controls} />}
      {tunable && <Scores {...controls} />}
      {tunable && <Sets {...controls} />}
      {tunable && <Sure {...controls} />}
      {tunable && <MostRules {...controls} />}
      <Tolerance {...controls} />
      {tunable && <AlternativesButton controls={controls} found={found} />}
      {tunable && <AlternativesTable controls={controls} found={found} />}
    </>
  );
}

function DifferencesOnly() {
  const { host, state } = useDiff();
  const on = state.differences_only;
  return (
    <Button
      class="imd-toggle"
      data-testid="imd-all"
      aria-pressed={on}
      title="Fold the parts where the models agree; turn off to see the whole tree"
      onClick={() => host.set({ differences_only: !on, folds: {} })}
    >
      <i aria-hidden="true" />
      Differences only
    </Button>
  );
}
