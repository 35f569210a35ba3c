// How both models depend on one column: curves or pairs of dots, a table behind them, and the values that are pointed at.

import { useState } from "preact/hooks";
import type { CurveView, IceView, PointView } from "../protocol/types";
import { useDiff } from "../state/context";
import { percent, rough } from "../text/format";
import { Button } from "../ui/Button";
import {
  bandOf,
  HIGH,
  nearest,
  type Places,
  pathOf,
  placesOf,
  type Range,
  STRIP,
  short,
  WIDE,
} from "./curves";

interface CurveChartProps {
  curve: CurveView;
  /** The curves of the traced row. */
  ice: IceView | null;
  range: Range;
  tolerance: number;
  large: boolean;
  onToggle: () => void;
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowLeft: -1,
  Home: -Infinity,
  End: Infinity,
};

const furthest = (points: readonly PointView[]) => {
  const apart = points.map(({ difference }) => Math.abs(difference));
  return apart.indexOf(Math.max(...apart));
};

/** The ends of an axis, or a few categories. */
function axisOf({ points, ordered }: CurveView): string[] {
  const texts = points.map(({ text }) => text);
  if (!ordered) return texts.length > 6 ? [`${texts.length} categories`] : texts;
  const last = points.at(-1)?.number === null ? -2 : -1;
  return [texts[0] ?? "", texts.slice(last).join(" | ")];
}

export function CurveChart(props: CurveChartProps) {
  const { curve, ice, range, large, onToggle } = props;
  const { names } = useDiff().view;
  const [at, setAt] = useState<number | null>(null);
  const { column, points, interval } = curve;
  const places = placesOf(curve, range);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const from = at ?? (step > 0 ? -1 : points.length);
    setAt(Math.min(points.length - 1, Math.max(0, from + step)));
  };
  const onPointerMove = (event: PointerEvent & { currentTarget: Element }) => {
    const box = event.currentTarget.getBoundingClientRect();
    setAt(nearest(places, (event.clientX - box.left) / (box.width || 1)));
  };
  const read = points[at ?? furthest(points)];
  return (
    <li class={large ? "imd-curve is-large" : "imd-curve"} data-column={column}>
      <Button
        aria-expanded={large}
        title={`${column}: click or Enter ${large ? "makes it small again" : "enlarges it"}, arrow keys read its values`}
        onClick={onToggle}
        onKeyDown={onKeyDown}
        onBlur={() => setAt(null)}
      >
        <span>{column}</span>
        <svg
          viewBox={`0 0 ${WIDE} ${HIGH + STRIP}`}
          aria-hidden="true"
          onPointerMove={onPointerMove}
          onPointerLeave={() => setAt(null)}
        >
          <Marks {...props} places={places} at={at} />
        </svg>
      </Button>
      <p class={curve.ordered ? "imd-axis" : "imd-axis is-even"} aria-hidden="true">
        {axisOf(curve).map((text, i) => (
          <span key={i}>{text}</span>
        ))}
      </p>
      <p class="imd-reading" aria-live="polite">
        {read &&
          `${at === null ? "furthest apart at " : ""}${read.text}: ${names[0]} ${rough(read.first)}, ${names[1]} ${rough(read.second)}${at === null ? "" : `; ${percent(read.support)} of the rows`}`}
      </p>
      {large && interval && <p>Shaded: {interval.text}</p>}
      {large && ice && <p>{ice.text}</p>}
      <Values curve={curve} />
    </li>
  );
}

type MarksProps = CurveChartProps & { places: Places; at: number | null };

function Marks({ curve, ice, tolerance, places, at }: MarksProps) {
  const { points, interval } = curve;
  const { x, y, place, onLine } = places;
  const most = Math.max(...points.map(({ support }) => support)) || 1;
  const step = Math.max(3, Math.min(14, WIDE / points.length / 1.6));
  const low = interval?.low ?? null;
  const high = interval?.high ?? null;
  const shaded = onLine > 1 && (low !== null || high !== null);
  const from = low === null ? 0 : place(low);
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
      <path class="is-apart" d={bandOf(curve, places, tolerance)} />
      {ice && <path class="is-ice" d={pathOf(places, ice.first)} />}
      {ice && <path class="is-ice is-second" d={pathOf(places, ice.second)} />}
      <path
        class="is-model"
        d={pathOf(
          places,
          points.map(({ first }) => first),
        )}
      />
      <path
        class="is-model is-second"
        d={pathOf(
          places,
          points.map(({ second }) => second),
        )}
      />
      {points.map(({ first, second }, i) => {
        if ((i < onLine && onLine > 1 && i !== at) || x[i] === undefined) return null;
        return (
          <g key={i} class="is-pair">
            <path class="is-between" d={`M${short(x[i])},${short(y(first))}V${short(y(second))}`} />
            <circle cx={short(x[i])} cy={short(y(first))} r="3.5" />
            <circle class="is-second" cx={short(x[i])} cy={short(y(second))} r="3.5" />
            {i === at && <path class="is-cursor" d={`M${short(x[i])},0V${HIGH + STRIP}`} />}
          </g>
        );
      })}
    </>
  );
}

/** The same as numbers: seen once the chart is enlarged, and read aloud always. */
function Values({ curve: { column, points } }: { curve: CurveView }) {
  const { names } = useDiff().view;
  return (
    <table class="imd-values">
      <thead>
        <tr>
          <th scope="col">{column}</th>
          <th scope="col">{names[0]}</th>
          <th scope="col">{names[1]}</th>
          <th scope="col">rows</th>
        </tr>
      </thead>
      <tbody>
        {points.map(({ text, first, second, support }, i) => (
          <tr key={i}>
            <th scope="row">{text}</th>
            <td>{rough(first)}</td>
            <td>{rough(second)}</td>
            <td>{percent(support)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
