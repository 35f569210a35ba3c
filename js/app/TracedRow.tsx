// The row that is followed through the tree, in one line.

import type { DiffView, TraceView } from "../protocol/types";
import { percent } from "../text/format";
import { Button, TextButton } from "../ui/Button";
import "./TracedRow.css";

export interface TracedRowProps {
  traced: TraceView;
  view: DiffView;
  onPick: (rule: number) => void;
  onClose: () => void;
}

/** Sentences about what is not as the tree or the rule has it: the tree simplifies, and a rule has exceptions. */
export function remarksOn(
  { said, surrogate, rules, differs }: TraceView,
  view: DiffView,
): string[] {
  const remarks: string[] = [];
  const off = ([0, 1] as const).filter((side) => said[side] !== surrogate[side]);
  if (view.outputs.kind === "class" && off.length > 0) {
    const apart = off.map((side) => `${view.names[side]} to say ${surrogate[side]}`).join(" and ");
    remarks.push(`The tree simplifies the models: where this row ends up, it expects ${apart}.`);
  }
  const rule = view.rules[rules[0] ?? -1];
  if (rule && !differs)
    remarks.push(
      `The models do not differ on this row: they differ on ${percent(rule.rate)} of the rows in rule ${rule.number}, not on all.`,
    );
  if (!rule && differs) remarks.push("The models differ on this row, but no rule covers it.");
  return remarks;
}

export function TracedRow({ traced, view, onPick, onClose }: TracedRowProps) {
  const { label, said, rules } = traced;
  const [one, two] = view.names;
  const remarks = remarksOn(traced, view);
  return (
    <p class="imd-hint imd-trace" data-testid="imd-trace" role="status">
      <span>
        row {label}: {one} says <b>{said[0]}</b>, {two} says <b>{said[1]}</b>
        {rules.length === 0 && " · in no rule"}
        {rules.map((rule) => (
          <span key={rule}>
            {" · "}
            <TextButton onClick={() => onPick(rule)}>rule {rule}</TextButton>
          </span>
        ))}
        {remarks.length > 0 && `. ${remarks.join(" ")}`}
      </span>
      <Button
        class="imd-close"
        aria-label="Stop following the row"
        title="Stop following the row (Esc)"
        onClick={onClose}
      >
        ×
      </Button>
    </p>
  );
}
