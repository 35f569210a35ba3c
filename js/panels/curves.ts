// Where the curves of both models on one column are drawn.

import type { CurveView, IceView } from "../protocol/types";

/** The space of a chart, in units of its viewBox, and the strip below it for the bars of rows. */
export const WIDE = 240;
export const HIGH = 110;
export const STRIP = 18;
const EDGE = 6;
/** Room at the right for the point of missing values, which has no place on an axis. */
const MISSING = 22;

export type Range = readonly [low: number, high: number];

/** One scale for all charts: what is flat looks flat. */
export function rangeOf(curves: readonly CurveView[], ice: readonly IceView[]): Range {
  const all = [
    ...curves.flatMap(({ points }) => points.flatMap(({ first, second }) => [first, second])),
    ...ice.flatMap(({ first, second }) => [...first, ...second]),
  ];
  // not Math.min(...all): there may be more numbers than a call takes arguments
  const low = all.reduce((a, b) => Math.min(a, b), Infinity);
  const high = all.reduce((a, b) => Math.max(a, b), -Infinity);
  return low < high ? [low, high] : [low - 0.5, low + 0.5];
}

export interface Places {
  /** By point, from left to right. */
  x: number[];
  /** Of a number on the axis, kept inside it. */
  place(number: number): number;
  y(value: number): number;
  /** How many of the points, from the left, a line connects. */
  onLine: number;
}

export function placesOf({ points, ordered }: CurveView, [low, high]: Range): Places {
  const numbers = points.flatMap(({ number }) => (ordered && number !== null ? [number] : []));
  const apart = ordered && numbers.length < points.length;
  const right = WIDE - EDGE - (apart ? MISSING : 0);
  const [from = 0, to = 0] = [numbers[0], numbers.at(-1)];
  const inside = (share: number) => EDGE + Math.min(1, Math.max(0, share)) * (right - EDGE);
  const place = (number: number) => inside(to > from ? (number - from) / (to - from) : 0.5);
  const x = points.map(({ number }, i) => {
    if (!ordered) return inside((i + 0.5) / points.length);
    return number === null ? WIDE - EDGE : place(number);
  });
  const y = (value: number) => EDGE + ((high - value) / (high - low)) * (HIGH - 2 * EDGE);
  return { x, place, y, onLine: numbers.length };
}

export function pathOf({ x, y, onLine }: Places, values: readonly number[]): string {
  const dots = values.slice(0, onLine).map((value, i) => `${short(x[i])},${short(y(value))}`);
  return dots.length > 1 ? `M${dots.join("L")}` : "";
}

/** The band between the curves where they are further apart than the tolerance, to the exact place. */
export function bandOf({ points }: CurveView, places: Places, tolerance: number): string {
  const { x, y, onLine } = places;
  let path = "";
  for (let i = 1; i < onLine; i += 1) {
    const [a, b] = [points[i - 1], points[i]];
    if (!a || !b) continue;
    const corner = (t: number, key: "first" | "second") => {
      const across = (x[i - 1] ?? 0) + t * ((x[i] ?? 0) - (x[i - 1] ?? 0));
      return `${short(across)},${short(y(a[key] + t * (b[key] - a[key])))}`;
    };
    for (const sign of [1, -1]) {
      const part = above(sign * a.difference - tolerance, sign * b.difference - tolerance);
      if (!part) continue;
      const [from, to] = part;
      path += `M${corner(from, "first")}L${corner(to, "first")}L${corner(to, "second")}L${corner(from, "second")}Z`;
    }
  }
  return path;
}

/** The part of a step, from 0 to 1, in which a line from `a` to `b` is above 0. */
function above(a: number, b: number): Range | null {
  if (a <= 0 && b <= 0) return null;
  const zero = a / (a - b);
  return [a > 0 ? 0 : zero, b > 0 ? 1 : zero];
}

/** The place of the point that is nearest to a share of the chart's width. */
export function nearest({ x }: Places, share: number): number {
  const at = x.map((place) => Math.abs(place - share * WIDE));
  return at.indexOf(Math.min(...at));
}

export const short = (value = 0) => Number(value.toFixed(1));
