// Hue means what a model says and nothing else.

import type { OutputsView } from "../protocol/types";
import { type Outcome, scalePosition } from "../text/outcome";

/** Okabe and Ito's palette, told apart under the common colour-vision deficiencies. */
const PALETTE = [
  "#0072b2", // blue
  "#e69f00", // orange
  "#009e73", // green
  "#d55e00", // vermillion
  "#cc79a7", // purple
  "#56b4e9", // sky
  "#f0e442", // yellow
  "#000000", // black
] as const;

/** The colour of all other classes: no palette of more can be told apart, and text stands beside each swatch. */
export const GREY = "#8a8a8a";

/** The first eight classes have a colour; of more, the eight with most differing rows. */
export function classColor({ slots }: Pick<OutputsView, "slots">, label: number): string {
  return PALETTE[slots?.[label] ?? label] ?? GREY;
}

/** The classes that have a colour, in the order of the colours. */
export function colored(
  { slots }: Pick<OutputsView, "slots">,
  classes: readonly string[],
): number[] {
  const labels = classes.map((_, label) => label);
  const place = (label: number) => slots?.[label] ?? label;
  return labels
    .filter((label) => place(label) < PALETTE.length)
    .sort((a, b) => place(a) - place(b));
}

/**
 * The middle of viridis, from 0.25 to 0.85: even steps of lightness, so that it holds without any
 * hue too. Its ends would be lost on a dark or on a white ground.
 */
const SCALE = ["#3b528b", "#2a788e", "#1f9e89", "#44bf70", "#9bd93c"] as const;

/** Colours on the scale: more than the eye can tell apart, and few enough for one hatch pattern each. */
const STEPS = 48;

/** `place` from 0 (low) to 1 (high). */
export function scaleColor(place: number): string {
  const at = (Math.round(place * STEPS) / STEPS) * (SCALE.length - 1);
  const below = Math.min(SCALE.length - 2, Math.floor(at));
  const [from, to] = [rgb(SCALE[below]), rgb(SCALE[below + 1])];
  const mixed = from.map((part, i) => Math.round(part + ((to[i] ?? 0) - part) * (at - below)));
  return `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** The whole scale, as a background. */
export const SCALE_GRADIENT = `linear-gradient(to right, ${SCALE.join(", ")})`;

/** The colour of what a model says: the same in a leaf, a bar, a dot, a swatch and a hatch. */
export function outcomeColor(outputs: OutputsView, outcome: Outcome): string {
  const place = scalePosition(outputs, outcome);
  return place === null ? classColor(outputs, outcome.label ?? -1) : scaleColor(place);
}

function rgb(color = "#000000"): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
