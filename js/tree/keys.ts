// Keyboard of the tree: where a key leads from a box. The roles and keys of the ARIA tree pattern, plus n / p.

import type { Box } from "./visible";
import { holdsDifference } from "./visible";

export type Move =
  | { kind: "focus"; id: string }
  | { kind: "fold"; id: string }
  | { kind: "select"; id: string }
  | { kind: "zoom"; factor: number }
  | { kind: "fit" };

export interface Step {
  box: Box;
  parent: string | null;
}

/** Keys that act on the picture wherever the focus is. */
export function zoomFor(key: string): Extract<Move, { kind: "zoom" | "fit" }> | null {
  if (key === "+" || key === "=") return { kind: "zoom", factor: 1.25 };
  if (key === "-") return { kind: "zoom", factor: 0.8 };
  return key === "0" ? { kind: "fit" } : null;
}

/** `steps` in reading order; null: not a key of the tree. Where there is no further box a key stays where it is. */
export function moveFor(key: string, steps: readonly Step[], currentId: string): Move | null {
  const at = Math.max(
    0,
    steps.findIndex((step) => step.box.id === currentId),
  );
  const current = steps[at];
  if (!current) return null;
  const to = (step: Step | undefined): Move => ({ kind: "focus", id: (step ?? current).box.id });
  const { box } = current;
  switch (key) {
    case "ArrowDown":
      return to(steps[at + 1]);
    case "ArrowUp":
      return to(steps[at - 1]);
    case "ArrowRight":
      if (box.foldable && box.folded) return { kind: "fold", id: box.id };
      return to(box.children.length > 0 ? steps[at + 1] : current);
    case "ArrowLeft":
      if (box.foldable && !box.folded) return { kind: "fold", id: box.id };
      return { kind: "focus", id: current.parent ?? box.id };
    case "Home":
      return to(steps[0]);
    case "End":
      return to(steps[steps.length - 1]);
    case "Enter":
    case " ":
      return { kind: "select", id: box.id };
    case "n":
      return to(steps.slice(at + 1).find((step) => holdsDifference(step.box)));
    case "p":
      return to(
        steps
          .slice(0, at)
          .reverse()
          .find((step) => holdsDifference(step.box)),
      );
    default:
      return zoomFor(key);
  }
}
