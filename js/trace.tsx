// The row that is followed through the tree, in one line.

import type { DiffView, TraceView } from "./types";

export interface TracedProps {
  traced: TraceView;
  view: DiffView;
  onPick: (rule: number) => void;
  onClose: () => void;
}

export function Traced({ traced, view, onPick, onClose }: TracedProps) {
  const { label, said, surrogate, rules } = traced;
  const [one, two] = view.names;
  const off = ([0, 1] as const).filter((side) => said[side] !== surrogate[side]);
  const apart = off.map((side) => `${view.names[side]} says ${surrogate[side]}`).join(", ");
  return (
    <p class="imd-hint imd-trace" data-testid="imd-trace" role="status">
      <span>
        row {label}: {one} says <b>{said[0]}</b>, {two} says <b>{said[1]}</b>
        {view.outputs.kind === "class" && apart && ` (in the tree ${apart})`}
        {rules.length === 0 && " · in no rule"}
        {rules.map((rule) => (
          <span key={rule}>
            {" · "}
            <button type="button" class="imd-text-button" onClick={() => onPick(rule)}>
              rule {rule}
            </button>
          </span>
        ))}
      </span>
      <button
        type="button"
        class="imd-close"
        aria-label="Stop following the row"
        title="Stop following the row (Esc)"
        onClick={onClose}
      >
        ×
      </button>
    </p>
  );
}
