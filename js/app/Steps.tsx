// Refinement steps, undo and save. A button says in words what it does, and why it is off.

import { plural } from "../text/format";
import { ActionButton } from "../ui/ActionButton";
import type { Controls } from "./controls";
import type { ToolbarProps } from "./Toolbar";

const REFINE = {
  leaf: "Split the leaves in which a model says more than one thing",
  region: "Ask one more question that cuts off a part of a rule in which the models agree",
};
/** Rules that are named in a tooltip. */
const MOST_NAMED = 12;

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

/** What one more step would split, in words: "rules 0, 2 and 5". */
export function targetsText({ view }: Pick<Controls, "view">): string {
  const { what, targets } = view.refinement;
  if (targets.length === 0) return "";
  if (what === "leaf") {
    const sides = ([1, 2] as const).map((side) => {
      const own = targets.filter((id) => view.nodes.some((n) => n.id === id && n.side === side));
      return own.length > 0 ? `${own.length} of ${view.names[side - 1]}` : null;
    });
    return `leaves: ${sides.filter(Boolean).join(", ")}`;
  }
  const numbers = view.rules
    .filter(({ nodes }) => nodes.some((id) => targets.includes(id)))
    .map(({ number }) => number);
  if (numbers.length === 0) return "";
  const more = numbers.length - MOST_NAMED;
  const named = numbers.slice(0, MOST_NAMED).join(", ");
  return `${numbers.length === 1 ? "rule" : "rules"} ${named}${more > 0 ? ` and ${more} more` : ""}`;
}

function undoOff({ view, off, work }: Controls): string | null {
  const reason = off("undo");
  if (reason !== null) return reason;
  if (!view.refinement.undoable) return "Nothing to undo";
  return work.busy ? "Working…" : null;
}

interface StepProps extends Controls {
  /** Draws a sign in place of words, which stand beside the buttons of a page already. */
  signs?: boolean;
  /** Says which nodes the mouse or the focus is on; null for none. */
  onHover: (nodes: readonly string[] | null) => void;
}

function RefineButton({ signs, onHover, ...props }: StepProps) {
  const { label, off } = refineWords(props);
  const { what, targets } = props.view.refinement;
  const which = targetsText(props);
  return (
    <ActionButton
      id="imd-refine"
      label={signs ? "One refinement step on" : undefined}
      off={off}
      busy={props.work.busy === "refine"}
      title={which ? `${REFINE[what]}: ${which}, lit in the tree` : REFINE[what]}
      onClick={() => props.work.ask("refine")}
      onHover={(on) => onHover(on && off === null && targets.length > 0 ? targets : null)}
    >
      {signs ? "›" : label}
    </ActionButton>
  );
}

function UndoButton({ signs, ...props }: Omit<StepProps, "onHover">) {
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
export function Stepper(props: StepProps) {
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
export function KernelButtons({ onSave, ...props }: StepProps & Pick<ToolbarProps, "onSave">) {
  return (
    <span class="imd-group">
      <RefineButton {...props} />
      <UndoButton {...props} />
      {onSave && (
        <SaveButton
          {...props}
          title="Download what is shown as one page, diff.html: interactive, without a kernel"
          onClick={onSave}
        />
      )}
    </span>
  );
}

interface SaveProps extends Pick<Controls, "work" | "off"> {
  title: string;
  onClick: () => void;
}

export function SaveButton({ work: { busy }, off, title, onClick }: SaveProps) {
  return (
    <ActionButton
      id="imd-save"
      off={off("save") ?? (busy ? "Working…" : null)}
      busy={busy === "save"}
      title={title}
      onClick={onClick}
    >
      {busy === "save" ? "Saving…" : "Save"}
    </ActionButton>
  );
}
