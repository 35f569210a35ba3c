// What each column of the traced row adds to what either model says: bars to the left and right, on one scale for both.

import { useState } from "preact/hooks";
import type { ReasonView, WhyView } from "../protocol/types";
import { useDiff } from "../state/context";
import { rough } from "../text/format";
import { Button } from "../ui/Button";
import { Line } from "../ui/Line";

const MOST = 8;

const TECHNIQUES = [
  { key: "klime", name: "K-LIME", technique: "K-LIME", title: "Linear models of clusters of rows" },
  { key: "loco", name: "LOCO", technique: "random forest", title: "Paths through random forests" },
] as const;

/** "+0.22"; what is no more than rounding beside the largest is 0. */
function signed(value: number, largest: number): string {
  if (Math.abs(value) < largest / 1000) return "0";
  return `${value > 0 ? "+" : "−"}${rough(Math.abs(value))}`;
}

export function ReasonCodes({ why: { row, fidelity } }: { why: WhyView }) {
  const { names } = useDiff().view;
  const [chosen, setChosen] = useState<(typeof TECHNIQUES)[number]>(TECHNIQUES[0]);
  if (!row) return null;
  const { key } = chosen;
  const size = (reason: ReasonView) => Math.max(...reason[key].slice(0, 2).map(Math.abs));
  const reasons = [...row.reasons].sort((a, b) => size(b) - size(a)).slice(0, MOST);
  const largest = Math.max(...reasons.map(size)) || 1;
  const trust = fidelity.find(({ technique }) => technique === chosen.technique);
  const says = names.map((name, side) => `${name} says ${row.score_texts[side]}.`).join(" ");
  return (
    <>
      {trust && (
        <p class={trust.warning ? "imd-trust is-low" : "imd-trust"} data-testid="imd-trust">
          {trust.warning && <span aria-hidden="true">⚠ </span>}
          {trust.text}
        </p>
      )}
      <p data-testid="imd-reasons-text">{key === "klime" ? row.text : says}</p>
      <div class="imd-techniques">
        {TECHNIQUES.map((one) => (
          <Button
            key={one.key}
            aria-pressed={one === chosen}
            title={one.title}
            onClick={() => setChosen(one)}
          >
            {one.name}
          </Button>
        ))}
      </div>
      <table class="imd-reasons" data-testid="imd-reasons">
        <thead>
          <tr>
            <th scope="col">column</th>
            <td />
            {names.map((name, side) => (
              <th key={side} scope="col" title={name}>
                <Line dashed={side === 1} /> {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {reasons.map((reason, i) => (
            <tr key={i}>
              <th scope="row" title={`${reason.column} = ${reason.value}`}>
                {reason.column} <small>= {reason.value}</small>
              </th>
              <td>
                <Diverging values={reason[key]} largest={largest} />
              </td>
              <td>{signed(reason[key][0] ?? 0, largest)}</td>
              <td>{signed(reason[key][1] ?? 0, largest)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Model 1 above, filled; model 2 below, in outline. */
function Diverging({ values, largest }: { values: readonly number[]; largest: number }) {
  return (
    <svg width="84" height="18" aria-hidden="true">
      {values.slice(0, 2).map((value, side) => {
        const width = (40 * Math.abs(value)) / largest;
        return (
          <rect
            key={side}
            class={side ? "is-second" : "is-first"}
            x={value < 0 ? 42 - width : 42}
            y={side ? 10 : 2}
            width={width}
            height="6"
          />
        );
      })}
      <path d="M42,0V18" />
    </svg>
  );
}
