// Width of text before it is drawn, and text made to fit.

export type Weight = 400 | 500 | 600;
export type Measure = (text: string, size: number, weight?: Weight) => number;

/** Wide enough for most Latin fonts: used where there is no canvas. */
export const roughMeasure: Measure = (text, size) => Array.from(text).length * size * 0.56;

/** Asks a canvas, once a text. `family` is the host's font, which we inherit. */
export function createMeasure(family: string, document: Document): Measure {
  let context: CanvasRenderingContext2D | null = null;
  try {
    context = document.createElement("canvas").getContext("2d");
  } catch {
    context = null;
  }
  if (!context || typeof context.measureText !== "function") return roughMeasure;
  const pen = context;
  const known = new Map<string, number>();
  return (text, size, weight = 400) => {
    const key = `${weight} ${size} ${text}`;
    let width = known.get(key);
    if (width === undefined) {
      pen.font = `${weight} ${size}px ${family || "sans-serif"}`;
      width = pen.measureText(text).width;
      known.set(key, width);
    }
    return width;
  };
}

/** Cut in the middle: names that share a beginning are told apart by their end. */
export function cutMiddle(text: string, room: number, width: (text: string) => number): string {
  if (width(text) <= room) return text;
  const letters = Array.from(text);
  const cut = (kept: number) => {
    const head = Math.ceil(kept / 2);
    const tail = kept - head;
    return `${letters.slice(0, head).join("")}…${tail > 0 ? letters.slice(-tail).join("") : ""}`;
  };
  let low = 1;
  let high = letters.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (width(cut(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

/** Where a line may end: at a space, and inside a name after a separator or before a capital letter. */
const BREAKS = /\s(?=\S)|[\p{L}\d][_./-](?=\p{L})|\p{Ll}(?=\p{Lu})/gu;
/** Of longer text not even three lines hold all. */
const LONGEST = 100;

/**
 * As few lines as hold the text, at most two or three, and those as even as they can be. Without such lines,
 * one or two that break at a space, each cut.
 */
export function wrapLines(
  text: string,
  room: number,
  width: (text: string) => number,
  most: 2 | 3 = 3,
): string[] {
  if (width(text) <= room) return [text];
  const spaces = breaksOf(text).filter((at) => text[at - 1] === " ");
  const all = text.length > LONGEST ? [] : breaksOf(text);
  for (const [count, breaks] of [
    [2, spaces],
    [2, all],
    [3, all],
  ] as const) {
    const lines = evenLines(text, count, breaks, width);
    if (count <= most && lines?.every((line) => width(line) <= room)) return lines;
  }
  const lines = evenLines(text, 2, spaces, width) ?? [text];
  return lines.map((line) => cutMiddle(line, room, width));
}

function breaksOf(text: string): number[] {
  const breaks = Array.from(text.matchAll(BREAKS), (found) => found.index + found[0].length);
  // Of a very long text only the ends can be shown.
  return breaks.length < 40 ? breaks : [...breaks.slice(0, 20), ...breaks.slice(-20)];
}

/** The lines of which the widest is narrowest; null if the text cannot be broken into so many. */
function evenLines(
  text: string,
  count: number,
  breaks: readonly number[],
  width: (text: string) => number,
): string[] | null {
  if (count === 1) return [text];
  let best: string[] | null = null;
  let narrowest = Number.POSITIVE_INFINITY;
  for (const at of breaks) {
    const head = text.slice(0, at).trimEnd();
    // A line that ends in an operator reads badly: "age <" / "42".
    if (!head || /(^|\s)[<>=≤≥≠]+$/.test(head)) continue;
    const later = breaks.filter((other) => other > at).map((other) => other - at);
    const rest = evenLines(text.slice(at), count - 1, later, width);
    if (!rest) continue;
    const widest = Math.max(...[head, ...rest].map(width));
    if (widest >= narrowest) continue;
    best = [head, ...rest];
    narrowest = widest;
  }
  return best;
}
