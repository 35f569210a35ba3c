// From the mean of all rows to the scores of one row, column by column, for both models: a waterfall in a table.

import type { ContributionsView } from "../protocol/types";
import { useDiff } from "../state/context";
import { rough, signedOn } from "../text/format";
import {
  baseLine,
  columnLines,
  isScore,
  levelLine,
  type Place,
  type Step,
  scaleFrom,
  stepsOf,
} from "./contributionLines";

/** Columns that have a line of their own. */
const MOST = 8;

export function Waterfall({ contributions }: { contributions: ContributionsView }) {
  const { names } = useDiff().view;
  const lines = [
    baseLine(contributions),
    ...columnLines(contributions, MOST),
    levelLine(contributions, "this row"),
  ];
  const steps = stepsOf(lines);
  const place = scaleFrom(steps.flat().flatMap(({ from, to }) => [from, to]));
  const columns = lines.filter(({ kind }) => kind === "column");
  const signed = signedOn(
    Math.max(...columns.flatMap(({ first, second }) => [first, second]).map(Math.abs)),
  );
  return (
    <table class="imd-contributions imd-waterfall" data-testid="imd-waterfall">
      <thead>
        <tr>
          <th scope="col">
            <span class="imd-aloud">column</span>
          </th>
          <td />
          {names.map((name, side) => (
            <th key={side} scope="col" title={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map(({ name, value, kind, first, second }, i) => {
          const write = isScore(kind) ? rough : signed;
          return (
            <tr key={i} class={`is-${kind}`}>
              <th scope="row" title={value ? `${name} = ${value}` : name}>
                {name}
                {value && <small> = {value}</small>}
              </th>
              <td>
                <Fall steps={steps[i] ?? []} place={place} />
              </td>
              <td>{write(first)}</td>
              <td>{write(second)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The step of either model, model 1 above model 2, and a line down to the next one. */
function Fall({ steps, place }: { steps: readonly Step[]; place: Place }) {
  return (
    <svg height="22" aria-hidden="true">
      {steps.map(({ from, to }, side) => {
        const [a, b] = [place(from), place(to)];
        const y = side ? 12 : 4;
        return (
          <g key={side} class={side ? "is-second" : "is-first"}>
            <rect x={`${Math.min(a, b)}%`} y={y} width={`${Math.abs(b - a)}%`} height="6" />
            <line x1={`${a}%`} x2={`${a}%`} y1="0" y2={y + 6} />
            <line x1={`${b}%`} x2={`${b}%`} y1={y} y2="22" />
          </g>
        );
      })}
    </svg>
  );
}
