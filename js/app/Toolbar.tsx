// The controls above the tree. A button says in words what it does, and why it is off.

import { offFor } from "../host/host";
import type { Change, DiffView, OptionsView } from "../protocol/types";
import { useDiff } from "../state/context";
import type { Action, KernelWork } from "../state/useKernelWork";
import { percent, plural } from "../text/format";
import { ActionButton } from "../ui/ActionButton";
import { Button } from "../ui/Button";
import "./Toolbar.css";

export interface ToolbarProps {
  work: KernelWork;
  helpOpen: boolean;
  onSave: () => void;
  onHelp: () => void;
}

/** What every group of controls needs. */
interface Controls {
  view: DiffView;
  /** The options of the view, or those that were asked for and are not there yet. */
  options: Omit<OptionsView, "given" | "tolerance"> &
    Pick<Change, "given"> & { tolerance: number | string | null };
  work: KernelWork;
  /** Why an action cannot be asked for now; null if it can. */
  off: (action: Action) => string | null;
}

const REFINE = {
  leaf: "Split the leaves in which a model says more than one thing",
  region: "Ask one more question that cuts off a part of a rule in which the models agree",
};
/** As many conditions as Python takes. */
const DEEPEST = 30;
const SENSITIVITY =
  "Share of the differing rows that the rules should cover: more to the right, fewer but surer to the left";

const GIVEN =
  "Let rules ask what one model says: another question, with surer answers where that model is hard to describe";

function refineWords({ view, work, off: offOf }: Controls): { label: string; off: string | null } {
  const { busy } = work;
  const { impure, what, reason } = view.refinement;
  const [oneOf, many] = what === "leaf" ? ["impure leaf", "impure leaves"] : ["rule", "rules"];
  const label =
    busy === "refine"
      ? "Refining…"
      : impure > 0
        ? `Refine ${plural(impure, oneOf, many)}`
        : "Refine";
  const off = offOf("refine") ?? reason ?? (busy ? "Working…" : null);
  return { label, off };
}

function undoOff({ view, off, work }: Controls): string | null {
  const reason = off("undo");
  if (reason !== null) return reason;
  if (!view.refinement.undoable) return "Nothing to undo";
  return work.busy ? "Working…" : null;
}

/** Why options cannot be changed now; while a change is under way another one may follow. */
function changeOff({ off, work: { busy } }: Controls): string | null {
  return off("change") ?? (busy && busy !== "change" ? "Working…" : null);
}

function Depth(props: Controls) {
  const { options, work } = props;
  const off = changeOff(props);
  const depth = options.max_depth;
  const step = (id: string, label: string, sign: string, to: number, end: string | null) => (
    <ActionButton
      id={id}
      label={label}
      off={off ?? end}
      busy={work.busy === "change"}
      title={label}
      onClick={() => work.change({ max_depth: to })}
    >
      {sign}
    </ActionButton>
  );
  return (
    <span
      class="imd-group"
      title={off ?? "Most questions that may lead to a leaf: fewer are easier to read"}
    >
      <span class="imd-name">Depth</span>
      {step(
        "imd-less",
        "Less deep",
        "−",
        depth - 1,
        depth > 1 ? null : "One question is the least",
      )}
      <output class="imd-depth" data-testid="imd-depth">
        {depth}
      </output>
      {step("imd-more", "Deeper", "+", depth + 1, depth < DEEPEST ? null : "As deep as it gets")}
    </span>
  );
}

function Sensitivity(props: Controls) {
  const { options } = props;
  const { busy, change } = props.work;
  const { precision, recall } = props.view.metrics;
  const off = changeOff(props);
  const auto = options.sensitivity === null;
  // where the best balance lies, about: the rules cover as much as they should
  const at = options.sensitivity ?? Math.round(recall * 20) / 20;
  return (
    <span class="imd-tune" title={off ?? SENSITIVITY}>
      <label>
        <span class="imd-name">Sensitivity</span>
        <input
          type="range"
          data-testid="imd-sensitivity"
          class={auto ? "is-auto" : undefined}
          min="0"
          max="1"
          step="0.05"
          value={at}
          aria-disabled={off !== null}
          aria-valuetext={auto ? "automatic, for the best balance" : percent(at)}
          onInput={({ currentTarget: slider }) => {
            if (off === null) change({ sensitivity: Number(slider.value) });
            else slider.value = String(at);
          }}
        />
      </label>
      <Button
        class="imd-auto"
        data-testid="imd-auto"
        aria-pressed={auto}
        aria-disabled={off !== null}
        title={off ?? "Let the best balance of precision and recall decide"}
        onClick={() => off === null && change({ sensitivity: auto ? at : null })}
      >
        auto
      </Button>
      <output class="imd-score" data-testid="imd-score" aria-busy={busy === "change"}>
        {busy === "change" ? (
          "comparing…"
        ) : (
          <>
            precision <b>{percent(precision)}</b> recall <b>{percent(recall)}</b>
          </>
        )}
      </output>
    </span>
  );
}

/** Whose outputs rules may ask about. */
function Given(props: Controls) {
  const { options, view, work } = props;
  const off = changeOff(props);
  const given = options.given ?? "nothing";
  return (
    <label class="imd-group" title={off ?? GIVEN}>
      <span class="imd-name">Given</span>
      <select
        class="imd-given"
        data-testid="imd-given"
        value={given}
        aria-disabled={off !== null}
        onChange={({ currentTarget: choice }) => {
          if (off === null) work.change({ given: choice.value as Change["given"] });
          else choice.value = given;
        }}
      >
        <option value="nothing">nothing</option>
        <option value="m1">what {view.names[0]} says</option>
        <option value="m2">what {view.names[1]} says</option>
        <option value="auto">the better of both</option>
      </select>
    </label>
  );
}

interface StepProps extends Controls {
  /** Draws a sign in place of words, which stand beside the buttons of a page already. */
  signs?: boolean;
}

function RefineButton({ signs, ...props }: StepProps) {
  const { label, off } = refineWords(props);
  return (
    <ActionButton
      id="imd-refine"
      label={signs ? "One refinement step on" : undefined}
      off={off}
      busy={props.work.busy === "refine"}
      title={REFINE[props.view.refinement.what]}
      onClick={() => props.work.ask("refine")}
    >
      {signs ? "›" : label}
    </ActionButton>
  );
}

function UndoButton({ signs, ...props }: StepProps) {
  return (
    <ActionButton
      id="imd-undo"
      label={signs ? "One refinement step back" : undefined}
      off={undoOff(props)}
      busy={props.work.busy === "undo"}
      title="Take back the last step"
      onClick={() => props.work.ask("undo")}
    >
      {signs ? "‹" : props.work.busy === "undo" ? "Undoing…" : "Undo"}
    </ActionButton>
  );
}

/** The refinement steps that a page holds, and which of them is shown. */
function Stepper(props: Controls) {
  const { steps, prepared, undoable } = props.view.refinement;
  if (!undoable && props.off("refine") !== null) return null;
  return (
    <span class="imd-group" title="Each step asks more questions where the rules are not yet sure">
      <span class="imd-name">Refined</span>
      <UndoButton {...props} signs />
      <output class="imd-depth" data-testid="imd-step">
        {steps} of {prepared}
      </output>
      <RefineButton {...props} signs />
    </span>
  );
}

/** The steps that the kernel works out, and what can be saved. */
function KernelButtons({ onSave, ...props }: Controls & { onSave: () => void }) {
  const { busy } = props.work;
  return (
    <span class="imd-group">
      <RefineButton {...props} />
      <UndoButton {...props} />
      <ActionButton
        id="imd-save"
        off={props.off("save") ?? (busy ? "Working…" : null)}
        busy={busy === "save"}
        title="Download what is shown as one page, diff.html: interactive, without a kernel"
        onClick={onSave}
      >
        {busy === "save" ? "Saving…" : "Save"}
      </ActionButton>
    </span>
  );
}

export function Toolbar({ work, helpOpen, onSave, onHelp }: ToolbarProps) {
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
      {options.tunable && <Given {...controls} />}
      {(view.refinement.prepared ?? null) !== null ? (
        <Stepper {...controls} />
      ) : (
        <KernelButtons {...controls} onSave={onSave} />
      )}
      <Button
        class="imd-help-button"
        data-testid="imd-help"
        aria-expanded={helpOpen}
        title="How to read this (key ?)"
        aria-label="How to read this"
        onClick={onHelp}
      >
        ?
      </Button>
    </div>
  );
}
