// From the mean of all rows to the scores of one row, column by column, for both models: a waterfall.

import type { ContributionsView } from "../protocol/types";
import { useDiff } from "../state/context";
import { BarKey, ContributionTable } from "./ContributionTable";
import {
  baseLine,
  columnLines,
  levelLine,
  type Place,
  type Step,
  scaleFrom,
  stepsOf,
} from "./contributionLines";

/** Columns that have a line of their own. */
const MOST = 8;

export function Waterfall({ contributions }: { contributions: ContributionsView }) {
  const lines = [
    baseLine(contributions),
    ...columnLines(contributions, MOST),
    levelLine(contributions, "this row"),
  ];
  const { length } = useDiff().view.names;
  const steps = stepsOf(lines).map((both) => both.slice(0, length));
  const place = scaleFrom(steps.flat().flatMap(({ from, to }) => [from, to]));
  return (
    <>
      <BarKey />
      <ContributionTable
        id="imd-waterfall"
        lines={lines}
        decimals={contributions.decimals}
        shown="models"
        mark={(_, i) => <Fall steps={steps[i] ?? []} place={place} />}
      />
    </>
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
