// What each column contributes to the scores of both models and to their gap: bars that add up, in a table.

import { useState } from "preact/hooks";
import type { ContributionsView } from "../protocol/types";
import { useDiff } from "../state/context";
import { errorOn, rough, signedOn } from "../text/format";
import { TextButton } from "../ui/Button";
import {
  barScale,
  baseLine,
  type ContributionLine,
  columnLines,
  isScore,
  levelLine,
  type Place,
  sizeLines,
} from "./contributionLines";
import "./Contributions.css";

/** Columns that are shown at first. */
const FIRST = 6;

interface ContributionsProps {
  contributions: ContributionsView;
}

export function Contributions({ contributions }: ContributionsProps) {
  const { names } = useDiff().view;
  const [all, setAll] = useState(false);
  const { columns, unused, total, note, averages_out: sizes } = contributions;
  const most = all ? Infinity : FIRST;
  const lines = sizes
    ? sizeLines(contributions, most)
    : [
        ...columnLines(contributions, most),
        baseLine(contributions),
        levelLine(contributions, "gap here"),
      ];
  return (
    <section data-testid="imd-contributions">
      <h4>{sizes ? "Mean absolute contribution of each column" : "What adds up to the gap"}</h4>
      {unused.map((sentence) => (
        <p key={sentence} class="imd-unused">
          {sentence}
        </p>
      ))}
      <p class="imd-why-key" aria-hidden="true">
        <BarKey /> <i class="imd-difference" /> {names[0]} − {names[1]}
        {!sizes && ", line: ± standard error"}
      </p>
      <ContributionTable lines={lines} />
      {columns.length > FIRST && (
        <TextButton aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show fewer columns" : "Show more columns"}
        </TextButton>
      )}
      <p class="imd-why-key">
        {!sizes && `${total} `}
        {note}
      </p>
    </section>
  );
}

/** Which bars are of which model. */
export function BarKey() {
  const { names } = useDiff().view;
  return (
    <>
      <i class="is-first" /> {names[0]} <i class="is-second" /> {names[1]}
    </>
  );
}

function ContributionTable({ lines }: { lines: readonly ContributionLine[] }) {
  const { names } = useDiff().view;
  const place = barScale(lines);
  const largest = Math.max(...lines.map(({ difference }) => Math.abs(difference)));
  const signed = signedOn(largest);
  const unsigned = (value: number) => signed(value).replace("+", "");
  return (
    <table class="imd-contributions">
      <thead>
        <tr>
          {["column", "", ...names, `${names[0]} − ${names[1]}`].map((text, i) => (
            <th key={i} scope="col">
              <span class="imd-aloud">{text}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map((line, i) => {
          const { name, kind, first, second, difference, error } = line;
          const write = (value: number) =>
            isScore(kind) ? rough(value) : kind === "size" ? unsigned(value) : signed(value);
          const values = [first, second].map(write);
          return (
            <tr
              key={i}
              class={`is-${kind}`}
              title={`${name}: ${names.map((own, side) => `${own} ${values[side]}`).join(", ")}`}
            >
              <th scope="row">{name}</th>
              <td>{kind !== "sum" && <Bars line={line} place={place} />}</td>
              {values.map((text, side) => (
                <td key={side} class="is-aloud">
                  <span class="imd-aloud">{text}</span>
                </td>
              ))}
              <td>
                {kind === "size" ? unsigned(difference) : signed(difference)}
                {error !== null && <small> {errorOn(largest)(error)}</small>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const BARS = [
  { key: "first", y: 2 },
  { key: "second", y: 9 },
  { key: "difference", y: 16 },
] as const;

/** Model 1 filled, model 2 in outline, the difference in colour with its standard error as a whisker. */
function Bars({ line, place }: { line: ContributionLine; place: Place }) {
  const { kind, difference, error } = line;
  const level = kind === "base";
  const zero = place(0);
  const [low, high] = [place(difference - (error ?? 0)), place(difference + (error ?? 0))];
  return (
    <svg height={level ? 14 : 25} aria-hidden="true">
      <line class="is-zero" x1={`${zero}%`} x2={`${zero}%`} y2="100%" />
      {BARS.slice(level ? 2 : 0).map(({ key, y }) => {
        const end = place(line[key]);
        return (
          <rect
            key={key}
            class={`is-${key}`}
            x={`${Math.min(zero, end)}%`}
            y={level ? 4 : y}
            width={`${Math.abs(end - zero)}%`}
            height="6"
          />
        );
      })}
      {error !== null && <line class="is-error" x1={`${low}%`} x2={`${high}%`} y1="19" y2="19" />}
    </svg>
  );
}
