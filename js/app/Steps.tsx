// Refinement steps, undo and save.

import { useMemo } from "preact/hooks";
import { unavailableReason } from "../host/host";
import { useWidget } from "../state/context";
import { plural } from "../text/format";
import { ActionButton } from "../ui/ActionButton";
import type { Controls } from "./controls";

const REFINE = {
  leaf: "Split leaves in which a model's output varies",
  region: "Split off parts of rules in which the models agree",
};
/** Rules that are named in a tooltip. */
const MOST_NAMED = 12;

function refineLabel({ view, work, disabledReason: reasonFor }: Controls): {
  label: string;
  disabledReason: string | null;
} {
  const { busy } = work;
  const { impure, what, reason } = view.refinement;
  const [oneOf, many] = what === "leaf" ? ["impure leaf", "impure leaves"] : ["rule", "rules"];
  const label =
    busy === "refine"
      ? "Refining…"
      : impure > 0
        ? `Refine ${plural(impure, oneOf, many)}`
        : "Refine";
  const disabledReason = reasonFor("refine") ?? reason ?? (busy ? "Working…" : null);
  return { label, disabledReason };
}

/** What one more step would split, in words: "rules 0, 2 and 5". */
export function targetsText({ view }: Pick<Controls, "view">): string {
  const { what } = view.refinement;
  const targets = new Set(view.refinement.targets);
  if (targets.size === 0) return "";
  if (what === "leaf") {
    const sides = ([1, 2] as const).map((side) => {
      const own = view.nodes.filter((node) => targets.has(node.id) && node.side === side);
      return own.length > 0 ? `${own.length} of ${view.names[side - 1]}` : null;
    });
    return `leaves: ${sides.filter(Boolean).join(", ")}`;
  }
  const numbers = view.rules
    .filter(({ nodes }) => nodes.some((id) => targets.has(id)))
    .map(({ number }) => number);
  if (numbers.length === 0) return "";
  const more = numbers.length - MOST_NAMED;
  const named = numbers.slice(0, MOST_NAMED).join(", ");
  return `${numbers.length === 1 ? "rule" : "rules"} ${named}${more > 0 ? ` and ${more} more` : ""}`;
}

function undoDisabledReason({ view, disabledReason, work }: Controls): string | null {
  const reason = disabledReason("undo");
  if (reason !== null) return reason;
  if (!view.refinement.undoable) return "Nothing to undo";
  return work.busy ? "Working…" : null;
}

interface StepProps extends Controls {
  /** Draws a symbol in place of a label, as the stepper of a page has one. */
  signs?: boolean;
  /** Called with the nodes that the mouse or the focus is on; null for none. */
  onHover: (nodes: readonly string[] | null) => void;
}

function RefineButton({ signs, onHover, ...props }: StepProps) {
  const { label, disabledReason } = refineLabel(props);
  const { view } = props;
  const { what, targets } = view.refinement;
  const which = useMemo(() => targetsText({ view }), [view]);
  return (
    <ActionButton
      id="imd-refine"
      label={signs ? "Next refinement step" : undefined}
      disabledReason={disabledReason}
      busy={props.work.busy === "refine"}
      title={which ? `${REFINE[what]}: ${which}, highlighted in the tree` : REFINE[what]}
      onClick={() => props.work.ask("refine")}
      onHover={(on) =>
        onHover(on && disabledReason === null && targets.length > 0 ? targets : null)
      }
    >
      {signs ? "›" : label}
    </ActionButton>
  );
}

function UndoButton({ signs, ...props }: Omit<StepProps, "onHover">) {
  return (
    <ActionButton
      id="imd-undo"
      label={signs ? "Previous refinement step" : undefined}
      disabledReason={undoDisabledReason(props)}
      busy={props.work.busy === "undo"}
      title="Undo the last step"
      onClick={() => props.work.ask("undo")}
    >
      {signs ? "‹" : props.work.busy === "undo" ? "Undoing…" : "Undo"}
    </ActionButton>
  );
}

/** The refinement steps that a page holds, and which of them is shown. */
export function Stepper(props: StepProps) {
  const { steps, prepared, undoable } = props.view.refinement;
  if (!undoable && props.disabledReason("refine") !== null) return null;
  return (
    <span class="imd-group" title="Each step adds splits where the rules are imprecise">
      <span class="imd-name">Refine:</span>
      <UndoButton {...props} signs />
      <output class="imd-depth" data-testid="imd-step">
        step {steps} of {prepared}
      </output>
      <RefineButton {...props} signs />
    </span>
  );
}

/** The steps that the kernel works out. */
export function KernelButtons(props: StepProps) {
  return (
    <span class="imd-group">
      <RefineButton {...props} />
      <UndoButton {...props} />
    </span>
  );
}

interface SaveProps {
  title: string;
  onClick: () => void;
}

export function SaveButton({ title, onClick }: SaveProps) {
  const { state, work } = useWidget();
  const { busy } = work;
  return (
    <ActionButton
      id="imd-save"
      disabledReason={unavailableReason(state, "save") ?? (busy ? "Working…" : null)}
      busy={busy === "save"}
      title={title}
      onClick={onClick}
    >
      {busy === "save" ? "Saving…" : "Save"}
    </ActionButton>
  );
}
