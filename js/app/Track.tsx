// The rules of one diff over several periods: a small chart for each region. It sends no messages.

import { useState } from "preact/hooks";
import type { Model } from "../host/model";
import type { RegionView, TrackView } from "../protocol/types";
import { useTraits } from "../state/useTraits";
import { percent } from "../text/format";
import { Button } from "../ui/Button";
import { Shell } from "./Shell";
import "./Track.css";

const TRAITS = ["track", "theme", "height"] as const;
const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

const read = (model: Model) => ({
  track: model.get("track") as TrackView,
  theme: model.get("theme") ?? "auto",
  height: model.get("height"),
});

export function Track({ model }: { model: Model }) {
  const { track, theme, height } = useTraits(model, TRAITS, read);
  const { title, sentences, periods, regions } = track;
  const [at, setAt] = useState(periods.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setAt(Math.min(periods.length - 1, Math.max(0, at + step)));
  };
  return (
    <Shell theme={theme} height={height || null} onKeyDown={onKeyDown}>
      {() => (
        <div class="imd-tracked" data-testid="imd-track">
          <header class="imd-headline is-alone" data-testid="imd-headline">
            <p class="imd-first">{title}</p>
            <p class="imd-rest">{sentences.join(" ")}</p>
          </header>
          <fieldset class="imd-periods" aria-label="Period whose figures are shown">
            {periods.map((period, number) => (
              <Button key={period} aria-pressed={number === at} onClick={() => setAt(number)}>
                {period}
              </Button>
            ))}
          </fieldset>
          <ul class="imd-regions">
            {regions.map((region) => (
              <Region key={region.name} region={region} periods={periods} at={at} onPick={setAt} />
            ))}
          </ul>
          <p class="imd-rest">
            Share of rows that differ, with 95 % intervals. Filled: changed beyond chance since{" "}
            {periods[0]}.
          </p>
        </div>
      )}
    </Shell>
  );
}

interface RegionProps {
  region: RegionView;
  periods: readonly string[];
  at: number;
  onPick: (period: number) => void;
}

function Region({ region, periods, at, onPick }: RegionProps) {
  const { name, conditions, verdict } = region;
  const changed = region.periods.some((period) => period.changed);
  return (
    <li data-region={name}>
      <p class="imd-region">
        <strong>{name}</strong>{" "}
        <span class={changed ? "imd-verdict is-changed" : "imd-verdict"}>{verdict}</span>
      </p>
      <p class="imd-where" title={conditions}>
        {conditions}
      </p>
      <p class="imd-region-top" aria-hidden="true">
        up to {percent(region.top)}
      </p>
      <RegionChart region={region} periods={periods} at={at} onPick={onPick} />
      <p class="imd-region-figures">
        {periods[at]}: {region.periods[at]?.text}
      </p>
    </li>
  );
}

/** Size of a chart in its own units, and the room above the highest share and below 0. */
const WIDTH = 220;
const HEIGHT = 90;
const EDGE = 6;

function RegionChart({ region, periods, at, onPick }: RegionProps) {
  const n = periods.length;
  const x = (period: number) => EDGE + ((WIDTH - 2 * EDGE) * (period + 0.5)) / n;
  const y = (share: number) => EDGE + (HEIGHT - 2 * EDGE) * (1 - share / region.top);
  let pen = "M";
  const line = region.periods.map(({ rate }, period) => {
    const step = rate === null ? "" : `${pen}${x(period)},${y(rate)}`;
    pen = rate === null ? "M" : "L";
    return step;
  });
  const onClick = (event: MouseEvent & { currentTarget: Element }) => {
    const box = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left) / (box.width || 1)) * n);
    onPick(Math.min(n - 1, Math.max(0, place)));
  };
  const words = region.periods.map(({ text }, period) => `${periods[period]}: ${text}`);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the buttons of the periods and the arrow keys do the same
    <svg
      class="imd-region-chart"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={words.join(". ")}
      onClick={onClick}
    >
      {[0, 0.5, 1].map((part) => (
        <path key={part} class="is-grid" d={`M0,${y(part * region.top)}H${WIDTH}`} />
      ))}
      <path class="is-at" d={`M${x(at)},0V${HEIGHT}`} />
      {region.periods.map(
        ({ interval }, period) =>
          interval && (
            <path
              key={periods[period]}
              class="is-interval"
              d={`M${x(period)},${y(interval[0])}V${y(interval[1])}`}
            />
          ),
      )}
      <path class="is-line" d={line.join("")} />
      {region.periods.map(
        ({ rate, changed }, period) =>
          rate !== null && (
            <circle
              key={periods[period]}
              class={changed ? "is-changed" : undefined}
              cx={x(period)}
              cy={y(rate)}
              r="4"
            />
          ),
      )}
    </svg>
  );
}
