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

/** One line where it fits, else two of about the same length, each cut where it still does not fit. */
export function wrapTwo(text: string, room: number, width: (text: string) => number): string[] {
  if (width(text) <= room) return [text];
  let best: [string, string] | null = null;
  let bestWidth = Number.POSITIVE_INFINITY;
  for (let at = text.indexOf(" "); at >= 0; at = text.indexOf(" ", at + 1)) {
    const lines: [string, string] = [text.slice(0, at), text.slice(at + 1)];
    // A line that ends in an operator reads badly: "age <" / "42".
    if (/(^|\s)[<>=≤≥≠]+$/.test(lines[0]) || !lines[0] || !lines[1]) continue;
    const widest = Math.max(width(lines[0]), width(lines[1]));
    if (widest < bestWidth) {
      best = lines;
      bestWidth = widest;
    }
  }
  return (best ?? [text]).map((line) => cutMiddle(line, room, width));
}
