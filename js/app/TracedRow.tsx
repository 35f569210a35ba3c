// The traced row, in one line.

import type { DiffView, Trace } from "../protocol/types";
import { percent } from "../text/format";
import { TextButton } from "../ui/Button";
import { CloseButton } from "../ui/CloseButton";
import "./TracedRow.css";

export interface TracedRowProps {
  traced: Trace;
  view: DiffView;
  onPick: (rule: number) => void;
  /** Explains the row; null where that is shown already. */
  onWhy: (() => void) | null;
  onClose: () => void;
}

/** How this row deviates from the tree and from the rule. */
export function remarksOn({ said, surrogate, rules, differs }: Trace, view: DiffView): string[] {
  const remarks: string[] = [];
  const wrong = ([0, 1] as const).filter((side) => said[side] !== surrogate[side]);
  if (view.outputs.kind === "class" && wrong.length > 0) {
    const tree = wrong.map((side) => `${surrogate[side]} for ${view.names[side]}`).join(" and ");
    remarks.push(`The tree approximates the models: this row's leaf has ${tree}.`);
  }
  const rule = view.rules[rules[0] ?? -1];
  if (rule && !differs)
    remarks.push(
      `The models agree on this row; they differ on about ${percent(rule.expected_rate)} of new rows in rule ${rule.number}.`,
    );
  if (!rule && differs) remarks.push("The models differ on this row, but no rule covers it.");
  return remarks;
}

export function TracedRow({ traced, view, onPick, onWhy, onClose }: TracedRowProps) {
  const { label, said, rules } = traced;
  const [one, two] = view.names;
  const remarks = remarksOn(traced, view);
  return (
    <p class="imd-hint imd-trace" data-testid="imd-trace" role="status">
      <span>
        Row {label} · {one}: <b>{said[0]}</b> · {two}: <b>{said[1]}</b>
        {rules.length === 0 && " · not in any rule"}
        {rules.map((rule) => (
          <span key={rule}>
            {" · "}
            <TextButton onClick={() => onPick(rule)}>rule {rule}</TextButton>
          </span>
        ))}
        {remarks.length > 0 && `. ${remarks.join(" ")}`}
      </span>
      {onWhy && <TextButton onClick={onWhy}>Why? What if?</TextButton>}
      <CloseButton label="Stop tracing this row" byKey onClick={onClose} />
    </p>
  );
}
