// How both models depend on one column: curves or pairs of dots, a table behind them, and the values that are pointed at.

import { useState } from "preact/hooks";
import type { CurveView, IceView, PointView, WhatIfNot } from "../protocol/types";
import { useDiff } from "../state/context";
import { percent, rough } from "../text/format";
import { Button } from "../ui/Button";
import { CurveMarks } from "./CurveMarks";
import { drawnSides, HIGH, nearest, placesOf, type Range, SIDES, STRIP, WIDE } from "./curves";

interface CurveChartProps {
  curve: CurveView;
  /** The rule's condition on the column: it is shaded, and its sentence stands below the chart. */
  condition?: WhatIfNot;
  /** The curves of the traced row. */
  ice: IceView | null;
  range: Range;
  /** The ends of what a score can be. */
  possible: Range;
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

/** Where the curves are furthest apart, or where the only one is highest. */
const furthest = (points: readonly PointView[]) => {
  const apart = points.map(({ difference, first, second }) =>
    difference === null ? (first ?? second ?? 0) : Math.abs(difference),
  );
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
  const { curve, condition, ice, range, large, onToggle } = props;
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
  const drawn = drawnSides(curve);
  const said = drawn.map((side) => `${names[SIDES.indexOf(side)]} ${rough(read?.[side] ?? 0)}`);
  const most = drawn.length > 1 ? "furthest apart at " : "highest at ";
  const values = `${read?.text}: ${said.join(", ")}`;
  return (
    <li class={large ? "imd-curve is-large" : "imd-curve"} data-column={column}>
      <Button
        aria-expanded={large}
        title={`${column}: click or Enter to ${large ? "shrink" : "enlarge"}, arrow keys to read values`}
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
          <CurveMarks {...props} places={places} at={at} />
        </svg>
      </Button>
      <p class={curve.ordered ? "imd-axis" : "imd-axis is-even"} aria-hidden="true">
        {axisOf(curve).map((text, i) => (
          <span key={i}>{text}</span>
        ))}
      </p>
      <p class="imd-reading" aria-live="polite">
        {read &&
          (at !== null
            ? `${values}; ${percent(read.support)} of the rows`
            : (condition?.sentence ??
              (read.difference === 0 ? "no difference at any value" : most + values)))}
      </p>
      {large && interval && <p>Shaded: {interval.text}</p>}
      {large && ice && <p>{ice.text}</p>}
      <div class={large ? undefined : "imd-aloud"}>
        <Values curve={curve} spread={ice !== null} />
      </div>
    </li>
  );
}

/** The same as numbers: seen once the chart is enlarged, and read aloud always. */
function Values({ curve, spread }: { curve: CurveView; spread: boolean }) {
  const { names } = useDiff().view;
  const drawn = drawnSides(curve);
  const deviation = (point: PointView, side: (typeof SIDES)[number]) =>
    spread ? ` ± ${rough(point.spread[SIDES.indexOf(side)] ?? 0)}` : "";
  return (
    <table class="imd-values">
      <thead>
        <tr>
          <th scope="col">{curve.column}</th>
          {drawn.map((side) => (
            <th key={side} scope="col">
              {names[SIDES.indexOf(side)]}
            </th>
          ))}
          <th scope="col">rows</th>
        </tr>
      </thead>
      <tbody>
        {curve.points.map((point, i) => (
          <tr key={i}>
            <th scope="row">{point.text}</th>
            {drawn.map((side) => (
              <td key={side}>{rough(point[side] ?? 0) + deviation(point, side)}</td>
            ))}
            <td>{percent(point.support)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
