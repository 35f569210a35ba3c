// Words, not icons: every button says what it does, and a disabled one says why.

import type { ComponentChildren } from "preact";
import type { Change, DiffView, OptionsView, Work as Wanted } from "../protocol/types";
import { percent, plural } from "../text/format";

export type Busy = Exclude<Wanted["kind"], "hello" | "cancel" | "rows" | "trace">;

export interface ToolbarProps {
  view: DiffView;
  /** Those of the view, or what was asked for and is not there yet. */
  options: OptionsView;
  differencesOnly: boolean;
  /** Why something cannot be asked for now; null when it can. */
  off: (kind: Busy) => string | null;
  busy: Busy | null;
  helpOpen: boolean;
  onDifferencesOnly: () => void;
  onAsk: (kind: "refine" | "undo") => void;
  onChange: (options: Change) => void;
  onSave: () => void;
  onHelp: () => void;
}

const REFINE = {
  leaf: "Split the leaves in which a model says more than one thing",
  region: "Ask one more question that cuts off a part of a rule in which the models agree",
};
/** As many conditions as Python takes. */
const DEEPEST = 30;
const SENSITIVITY =
  "Share of the differing rows that the rules should cover: more to the right, fewer but surer to the left";

function refineWords(props: ToolbarProps): { label: string; off: string | null } {
  const { busy } = props;
  const { refinement } = props.view;
  const { impure, what } = refinement;
  const [oneOf, many] = what === "leaf" ? ["impure leaf", "impure leaves"] : ["rule", "rules"];
  const label =
    busy === "refine"
      ? "Refining…"
      : impure > 0
        ? `Refine ${plural(impure, oneOf, many)}`
        : "Refine";
  const off = props.off("refine") ?? refinement.reason ?? (busy ? "Working…" : null);
  return { label, off };
}

function undoOff({ view, off, busy }: ToolbarProps): string | null {
  const reason = off("undo");
  if (reason !== null) return reason;
  if (!view.refinement.undoable) return "Nothing to undo";
  return busy ? "Working…" : null;
}

interface WorkProps {
  id: string;
  label?: string;
  /** Why it cannot be pressed now. */
  off: string | null;
  busy: boolean;
  title: string;
  onClick: () => void;
  children: ComponentChildren;
}

/** Asks Python for something. Not `disabled` while it cannot: that would throw the focus away. */
function Work({ id, label, off, busy, title, onClick, children }: WorkProps) {
  return (
    <button
      type="button"
      data-testid={id}
      aria-label={label}
      aria-disabled={off !== null}
      aria-busy={busy}
      title={off ?? title}
      onClick={() => off === null && onClick()}
    >
      {children}
    </button>
  );
}

/** Why options cannot be changed now; while a change is under way another one may follow. */
function changeOff({ off, busy }: ToolbarProps): string | null {
  return off("change") ?? (busy && busy !== "change" ? "Working…" : null);
}

function Depth(props: ToolbarProps) {
  const { options, busy, onChange } = props;
  const off = changeOff(props);
  const depth = options.max_depth;
  const step = (id: string, label: string, sign: string, to: number, end: string | null) => (
    <Work
      id={id}
      label={label}
      off={off ?? end}
      busy={busy === "change"}
      title={label}
      onClick={() => onChange({ max_depth: to })}
    >
      {sign}
    </Work>
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

function Sensitivity(props: ToolbarProps) {
  const { options, busy, onChange } = props;
  const { precision, recall } = props.view.metrics;
  const off = changeOff(props);
  const auto = options.sensitivity === null;
  // where the best F1 lies, about: the rules cover as much as they should
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
          aria-valuetext={auto ? "automatic, for the best F1" : percent(at)}
          onInput={({ currentTarget: slider }) => {
            if (off === null) onChange({ sensitivity: Number(slider.value) });
            else slider.value = String(at);
          }}
        />
      </label>
      <button
        type="button"
        class="imd-auto"
        data-testid="imd-auto"
        aria-pressed={auto}
        aria-disabled={off !== null}
        title={off ?? "Let the best F1 decide"}
        onClick={() => off === null && onChange({ sensitivity: auto ? at : null })}
      >
        auto
      </button>
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

interface StepProps extends ToolbarProps {
  /** What stands on the buttons of a page, where words would be said twice. */
  signs?: boolean;
}

function On({ signs, ...props }: StepProps) {
  const { label, off } = refineWords(props);
  return (
    <Work
      id="imd-refine"
      label={signs ? "One refinement step on" : undefined}
      off={off}
      busy={props.busy === "refine"}
      title={REFINE[props.view.refinement.what]}
      onClick={() => props.onAsk("refine")}
    >
      {signs ? "›" : label}
    </Work>
  );
}

function Back({ signs, ...props }: StepProps) {
  return (
    <Work
      id="imd-undo"
      label={signs ? "One refinement step back" : undefined}
      off={undoOff(props)}
      busy={props.busy === "undo"}
      title="Take back the last step"
      onClick={() => props.onAsk("undo")}
    >
      {signs ? "‹" : props.busy === "undo" ? "Undoing…" : "Undo"}
    </Work>
  );
}

/** A page holds so many steps, and no more: where one stands among them. */
function Stepper(props: ToolbarProps) {
  const { steps, prepared, undoable } = props.view.refinement;
  if (!undoable && props.off("refine") !== null) return null;
  return (
    <span class="imd-group" title="Each step asks more questions where the rules are not yet sure">
      <span class="imd-name">Refined</span>
      <Back {...props} signs />
      <output class="imd-depth" data-testid="imd-step">
        {steps} of {prepared}
      </output>
      <On {...props} signs />
    </span>
  );
}

export function Toolbar(props: ToolbarProps) {
  const { differencesOnly } = props;
  return (
    <div class="imd-toolbar">
      <button
        type="button"
        class="imd-toggle"
        data-testid="imd-all"
        aria-pressed={differencesOnly}
        title="Fold everything on which the models agree; switch off to see the whole tree"
        onClick={props.onDifferencesOnly}
      >
        <i aria-hidden="true" />
        Differences only
      </button>
      <Depth {...props} />
      {props.options.tunable && <Sensitivity {...props} />}
      {(props.view.refinement.prepared ?? null) !== null ? (
        <Stepper {...props} />
      ) : (
        <span class="imd-group">
          <On {...props} />
          <Back {...props} />
          <Work
            id="imd-save"
            off={props.off("save") ?? (props.busy ? "Working…" : null)}
            busy={props.busy === "save"}
            title="Download what is shown as one page, diff.html: interactive, without a kernel"
            onClick={props.onSave}
          >
            {props.busy === "save" ? "Saving…" : "Save"}
          </Work>
        </span>
      )}
      <button
        type="button"
        class="imd-help-button"
        data-testid="imd-help"
        aria-expanded={props.helpOpen}
        title="How to read this (key ?)"
        aria-label="How to read this"
        onClick={props.onHelp}
      >
        ?
      </button>
    </div>
  );
}
