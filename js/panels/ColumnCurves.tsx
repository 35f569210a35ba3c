// How both models depend on each column, as small charts on one scale.

import { useState } from "preact/hooks";
import type { WhyView } from "../protocol/types";
import { useDiff } from "../state/context";
import { isPage } from "../state/useExplain";
import { plural, scaleText } from "../text/format";
import { Button } from "../ui/Button";
import { Line } from "../ui/Line";
import { CurveChart } from "./CurveChart";
import { drawnSides, EVERY, effectOf, type Range, rangeOf, rowEffectOf, SIDES } from "./curves";
import { Switch } from "./Switch";

interface ColumnCurvesProps {
  why: WhyView;
  ice: WhyView["ice"];
  onMore: () => void;
}

/** A probability, and a share of votes, cannot leave these ends, whatever the deviation is. */
const possibleOf = ({ what }: WhyView): Range =>
  /^(probability|share)/.test(what) ? [0, 1] : EVERY;

const SCALES = [
  { name: "Output", title: "Mean output of each model" },
  { name: "Effect", title: "Each curve less its own mean: parallel curves coincide" },
] as const;

export function ColumnCurves({ why, ice: levels, onMore }: ColumnCurvesProps) {
  const { waiting, tolerance } = why;
  const { view } = useDiff();
  const [large, setLarge] = useState<number | null>(null);
  const [scale, setScale] = useState(0);
  const effect = scale === 1;
  const curves = effect ? why.curves.map(effectOf) : why.curves;
  const ice = levels.map((own) => {
    const curve = why.curves.find(({ position }) => position === own.position);
    return effect && curve ? rowEffectOf(own, curve) : own;
  });
  const possible = effect ? EVERY : possibleOf(why);
  const range = rangeOf(curves, ice, possible);
  const drawn = curves[0] ? drawnSides(curves[0]).map((side) => SIDES.indexOf(side)) : [];
  return (
    <div data-testid="imd-curves">
      <Switch choices={SCALES} chosen={scale} onChoose={setScale} />
      <p class="imd-why-key">
        {drawn.map((side, nth) => (
          <span key={side}>
            <Line dashed={side === 1} /> {view.names[side]}
            {nth + 1 < drawn.length ? " " : ", "}
          </span>
        ))}
        {effect ? "less its own mean" : "mean"} over {plural(curves[0]?.rows ?? 0, "row")}
        {ice.length > 0 && "; grey: ± one standard deviation, thin: the traced row"}. Scale:{" "}
        {scaleText(range)}. Bars: distribution of the rows.
      </p>
      <ul class="imd-multiples">
        {curves.map((curve) => (
          <CurveChart
            key={curve.position}
            curve={curve}
            ice={ice.find(({ position }) => position === curve.position) ?? null}
            range={range}
            possible={possible}
            tolerance={tolerance ?? 0}
            large={large === curve.position}
            onToggle={() => setLarge(large === curve.position ? null : curve.position)}
          />
        ))}
      </ul>
      {waiting.length > 0 && isPage(view) && (
        <p class="imd-empty">
          This page holds the curves of {curves.length} of {curves.length + waiting.length} columns.
        </p>
      )}
      {waiting.length > 0 && !isPage(view) && (
        <Button data-testid="imd-more-curves" onClick={onMore}>
          Show the other {plural(waiting.length, "column")}
        </Button>
      )}
    </div>
  );
}
