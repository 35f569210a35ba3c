// Hue means class and nothing else. Okabe and Ito's palette, told apart under the common colour-vision deficiencies.

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

/** Beyond eight classes no palette can be told apart: the text beside the swatch has to do. */
export const GREY = "#8a8a8a";

export function classColor(index: number): string {
  return PALETTE[index] ?? GREY;
}
