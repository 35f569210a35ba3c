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

/** Any number is possible. */
export const EVERY: Range = [-Infinity, Infinity];

/** A number for each point; null where a model cannot be called. */
type Numbers = readonly (number | null)[];

/** What is drawn of either model. */
export const SIDES = ["first", "second"] as const;

/** Which models have curves. */
export const drawnSides = ({ points }: CurveView) =>
  SIDES.filter((side) => (points[0]?.[side] ?? null) !== null);

/** Numbers less their mean, by the share of the rows at each point. */
function centred(values: Numbers, points: CurveView["points"]): Numbers {
  const total = points.reduce((sum, { support }) => sum + support, 0);
  const mean = points.reduce((sum, { support }, i) => sum + support * (values[i] ?? 0), 0) / total;
  return values.map((value) => (value === null ? null : value - mean));
}

/** The effect of the column: each curve less its own mean. Curves that are parallel coincide. */
export function effectOf(curve: CurveView): CurveView {
  const { points } = curve;
  const own = (side: (typeof SIDES)[number]) =>
    centred(
      points.map((point) => point[side]),
      points,
    );
  const [first, second] = [own("first"), own("second")];
  return {
    ...curve,
    points: points.map((point, i) => {
      const [one = null, two = null] = [first[i], second[i]];
      const difference = one === null || two === null ? null : one - two;
      return { ...point, first: one, second: two, difference };
    }),
  };
}

/** The same of a row. */
export const rowEffectOf = (ice: IceView, { points }: CurveView): IceView => ({
  ...ice,
  first: [...centred(ice.first, points)],
  second: [...centred(ice.second, points)],
});

/** The mean and one standard deviation of the rows below and above it, inside what is possible. */
export function bandsOf({ points }: CurveView, side: 0 | 1, [least, most]: Range) {
  return [-1, 1].map((sign) =>
    points.map((point) => {
      const mean = point[SIDES[side]] ?? 0;
      return Math.min(most, Math.max(least, mean + sign * (point.spread[side] ?? 0)));
    }),
  );
}

/** One scale for all charts: what is flat looks flat. Of a row the deviations are in it too. */
export function rangeOf(
  curves: readonly CurveView[],
  ice: readonly IceView[],
  possible: Range = EVERY,
): Range {
  const all = [
    ...curves.flatMap(({ points }) => points.flatMap(({ first, second }) => [first, second])),
    ...ice.flatMap(({ first, second }) => [...first, ...second]),
    ...(ice.length > 0
      ? curves.flatMap((curve) =>
          ([0, 1] as const).flatMap((side) =>
            drawnSides(curve).includes(SIDES[side]) ? bandsOf(curve, side, possible).flat() : [],
          ),
        )
      : []),
  ].filter((value) => value !== null);
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

/** The corners of a line, one for each point that it connects. */
const cornersOf = ({ x, y, onLine }: Places, values: Numbers) =>
  values
    .slice(0, onLine)
    .flatMap((value, i) => (value === null ? [] : `${short(x[i])},${short(y(value))}`));

export function pathOf(places: Places, values: Numbers): string {
  const corners = cornersOf(places, values);
  return corners.length > 1 ? `M${corners.join("L")}` : "";
}

/** What lies between two lines; where none connects the points, an upright at each. */
export function areaOf(places: Places, [low = [], high = []]: readonly number[][]): string {
  const { x, y, onLine } = places;
  const uprights = x
    .slice(onLine > 1 ? onLine : 0)
    .map((at, i) => {
      const point = i + (onLine > 1 ? onLine : 0);
      return `M${short(at - 2)},${short(y(low[point] ?? 0))}h4V${short(y(high[point] ?? 0))}h-4Z`;
    })
    .join("");
  if (onLine < 2) return uprights;
  return `M${[...cornersOf(places, low), ...cornersOf(places, high).reverse()].join("L")}Z${uprights}`;
}

/** The band between the curves where they are further apart than the tolerance, to the exact place. */
export function bandOf({ points }: CurveView, places: Places, tolerance: number): string {
  const { x, y, onLine } = places;
  let path = "";
  for (let i = 1; i < onLine; i += 1) {
    const [a, b] = [points[i - 1], points[i]];
    if (!a || !b || a.difference === null || b.difference === null) continue;
    const [from0, to0] = [a.difference, b.difference];
    const corner = (t: number, key: "first" | "second") => {
      const across = (x[i - 1] ?? 0) + t * ((x[i] ?? 0) - (x[i - 1] ?? 0));
      const [low, high] = [a[key] ?? 0, b[key] ?? 0];
      return `${short(across)},${short(y(low + t * (high - low)))}`;
    };
    for (const sign of [1, -1]) {
      const part = above(sign * from0 - tolerance, sign * to0 - tolerance);
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

/** The parts of the axis that belong to the points marked true, each as its left and right end. */
export function insideOf({ x }: Places, inside: readonly boolean[]): Range[] {
  const half = (a: number, b: number) => ((x[a] ?? 0) + (x[b] ?? 0)) / 2;
  return inside.flatMap((holds, i): Range[] =>
    holds ? [[i > 0 ? half(i - 1, i) : 0, i + 1 < x.length ? half(i, i + 1) : WIDE]] : [],
  );
}

/** The place of the point that is nearest to a share of the chart's width. */
export function nearest({ x }: Places, share: number): number {
  const at = x.map((place) => Math.abs(place - share * WIDE));
  return at.indexOf(Math.min(...at));
}

export const short = (value = 0) => Number(value.toFixed(1));
