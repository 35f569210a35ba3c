// What is drawn inside the chart of one column.

import type { CurveView, IceView, WhatIfNot } from "../protocol/types";
import {
  areaOf,
  bandOf,
  bandsOf,
  drawnSides,
  HIGH,
  insideOf,
  type Places,
  pathOf,
  type Range,
  SIDES,
  STRIP,
  short,
  WIDE,
} from "./curves";

interface MarksProps {
  curve: CurveView;
  condition?: WhatIfNot | undefined;
  ice: IceView | null;
  tolerance: number;
  possible: Range;
  places: Places;
  /** The point that is read. */
  at: number | null;
}

export function CurveMarks(props: MarksProps) {
  const { curve, condition, ice, tolerance, possible, places, at } = props;
  const { points, interval } = curve;
  const { x, y, place, onLine } = places;
  const most = Math.max(...points.map(({ support }) => support)) || 1;
  const step = Math.max(3, Math.min(14, WIDE / points.length / 1.6));
  const low = interval?.low ?? null;
  const high = interval?.high ?? null;
  const shaded = onLine > 1 && (low !== null || high !== null);
  const from = low === null ? 0 : place(low);
  const drawn = drawnSides(curve);
  const sides = ([0, 1] as const).filter((side) => drawn.includes(SIDES[side]));
  const second = (side: 0 | 1) => (side ? " is-second" : "");
  return (
    <>
      {shaded && (
        <rect
          class="is-interval"
          x={short(from)}
          width={short((high === null ? WIDE : place(high)) - from)}
          height={HIGH}
        />
      )}
      {shaded &&
        [low, high].map(
          (end) =>
            end !== null && <path key={end} class="is-end" d={`M${short(place(end))},0V${HIGH}`} />,
        )}
      {!shaded &&
        condition &&
        insideOf(places, condition.inside).map(([left, right]) => (
          <rect
            key={left}
            class="is-interval"
            x={short(left)}
            width={short(right - left)}
            height={HIGH}
          />
        ))}
      {points.map(({ support }, i) => {
        const height = (support / most) * (STRIP - 2);
        return (
          <rect
            key={i}
            class="is-rows"
            x={short((x[i] ?? 0) - step / 2)}
            y={short(HIGH + STRIP - height)}
            width={short(step)}
            height={short(height)}
          />
        );
      })}
      {ice &&
        sides.map((side) => (
          <path
            key={side}
            class={`is-spread${second(side)}`}
            d={areaOf(places, bandsOf(curve, side, possible))}
          />
        ))}
      <path class="is-apart" d={bandOf(curve, places, tolerance)} />
      {ice &&
        sides.map((side) => (
          <path key={side} class={`is-ice${second(side)}`} d={pathOf(places, ice[SIDES[side]])} />
        ))}
      {sides.map((side) => (
        <path
          key={side}
          class={`is-model${second(side)}`}
          d={pathOf(
            places,
            points.map((point) => point[SIDES[side]]),
          )}
        />
      ))}
      {points.map((point, i) => {
        const marked = i === at || i === condition?.at;
        if ((i < onLine && onLine > 1 && !marked) || x[i] === undefined) return null;
        const ends = sides.map((side) => short(y(point[SIDES[side]] ?? 0)));
        return (
          <g key={i} class="is-pair">
            <path class="is-between" d={`M${short(x[i])},${ends.join("V")}`} />
            {sides.map((side, nth) => (
              <circle key={side} class={second(side)} cx={short(x[i])} cy={ends[nth]} r="3.5" />
            ))}
            {i === at && <path class="is-cursor" d={`M${short(x[i])},0V${HIGH + STRIP}`} />}
          </g>
        );
      })}
    </>
  );
}
