// What each column of the traced row adds to the output of either model: bars to the left and right, on one scale for both.

import { useState } from "preact/hooks";
import type { ReasonView, WhyView } from "../protocol/types";
import { useDiff } from "../state/context";
import { rough } from "../text/format";
import { Line } from "../ui/Line";
import { Switch } from "./Switch";
import { Trust } from "./Trust";

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
  const [chosen, setChosen] = useState(0);
  if (!row) return null;
  const { key, technique } = TECHNIQUES[chosen] ?? TECHNIQUES[0];
  const size = (reason: ReasonView) => Math.max(...reason[key].slice(0, 2).map(Math.abs));
  const reasons = [...row.reasons].sort((a, b) => size(b) - size(a)).slice(0, MOST);
  const largest = Math.max(...reasons.map(size)) || 1;
  const outputs = names.map((name, side) => `${name}: ${row.score_texts[side]}`).join(", ");
  return (
    <>
      <Trust fidelity={fidelity} technique={technique} />
      <p data-testid="imd-reasons-text">{key === "klime" ? row.text : outputs}</p>
      <Switch choices={TECHNIQUES} chosen={chosen} onChoose={setChosen} />
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
