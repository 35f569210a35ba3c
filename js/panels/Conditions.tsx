// What if the rule did not hold? For each of its conditions both curves over all values of the column, and one sentence.

import { useState } from "preact/hooks";
import type { WhatIfNot, WhyView } from "../protocol/types";
import { useDiff } from "../state/context";
import { plural, scaleText } from "../text/format";
import { TextButton } from "../ui/Button";
import { Line } from "../ui/Line";
import { CurveChart } from "./CurveChart";
import { EVERY, rangeOf } from "./curves";

/** Conditions that are shown at first. */
const FIRST = 2;

/** How much the gap would change; none without a value outside. */
const effect = ({ gap, gap_there }: WhatIfNot) =>
  gap_there === null ? -1 : Math.abs(gap_there - gap);

interface ConditionsProps {
  why: WhyView;
  /** What they are conditions of: a rule, the path to a node, or rows that the user chose. */
  of: "rule" | "node" | "rows";
}

const WHAT = { rule: "the rule", node: "a condition of this node", rows: "the condition" };

export function Conditions({ why, of }: ConditionsProps) {
  const { names } = useDiff().view;
  const [large, setLarge] = useState<number | null>(null);
  const [all, setAll] = useState(false);
  const conditions = [...why.conditions].sort((a, b) => effect(b) - effect(a));
  const shown = all ? conditions : conditions.slice(0, FIRST);
  const hidden = conditions.length - shown.length;
  if (conditions.length === 0) return null;
  const curves = conditions.map(({ curve }) => curve);
  const range = rangeOf(curves, []);
  return (
    <section data-testid="imd-conditions">
      <h4>What if {WHAT[of]} did not hold?</h4>
      <p class="imd-why-key">
        The same {plural(curves[0]?.rows ?? 0, "row")}, one column changed. <Line /> {names[0]}{" "}
        {names[1] !== undefined && (
          <>
            <Line dashed /> {names[1]}{" "}
          </>
        )}
        <i class="is-inside" aria-hidden="true" /> where it holds. Scale: {scaleText(range)}.
        {names[1] !== undefined && ` Gap: ${names[0]} − ${names[1]}.`}
      </p>
      <ul class="imd-multiples">
        {shown.map((condition, i) => (
          <CurveChart
            key={`${condition.text} ${condition.column}`}
            curve={condition.curve}
            condition={condition}
            ice={null}
            range={range}
            possible={EVERY}
            tolerance={Infinity}
            large={large === i}
            onToggle={() => setLarge(large === i ? null : i)}
          />
        ))}
      </ul>
      {hidden > 0 && (
        <TextButton onClick={() => setAll(true)}>
          Show {plural(hidden, "more condition", "more conditions")}
        </TextButton>
      )}
    </section>
  );
}
