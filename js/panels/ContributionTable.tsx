// Numbers of columns for both models and their difference, with marks: the table behind every chart of contributions.

import type { ComponentChild } from "preact";
import { useDiff } from "../state/context";
import { decimalsOn, errorTo, signedTo } from "../text/format";
import { type ContributionLine, isScore, type Place } from "./contributionLines";
import "./Contributions.css";

interface ContributionTableProps {
  id: string;
  lines: readonly ContributionLine[];
  /** Which numbers are seen; those of the models are always there to be read aloud. */
  shown: "difference" | "models" | "all";
  mark: (line: ContributionLine, i: number) => ComponentChild;
  /** Decimals of all numbers; by default two digits of the largest. */
  decimals?: number;
}

interface Column {
  key: "first" | "second" | "difference";
  /** Where it is in `ContributionLine.printed`. */
  at: number;
}

/** The size of a difference is not the difference of sizes. */
export const differenceName = ([first, second]: readonly string[], sizes: boolean) =>
  second === undefined ? first : sizes ? "difference" : `${first} − ${second}`;

export function ContributionTable({ id, lines, shown, mark, decimals }: ContributionTableProps) {
  const { names } = useDiff().view;
  const columns = [
    { key: "first", at: 0, name: names[0] },
    { key: "second", at: 1, name: names[1] },
    { key: "difference", at: 2, name: differenceName(names, lines[0]?.kind === "size") },
  ] as const;
  const alone = names[1] === undefined;
  const used = alone ? columns.slice(2) : columns.slice(0, shown === "models" ? 2 : 3);
  const hide = (key: string) => (shown === "difference" && key !== "difference" ? "imd-aloud" : "");
  const sizes = lines.flatMap((line) =>
    isScore(line.kind) && (alone || shown === "models")
      ? []
      : used.map(({ key }) => Math.abs(line[key])),
  );
  const places = decimals ?? decimalsOn(Math.max(...sizes));
  const signed = signedTo(places);
  const write = ({ kind, printed, ...line }: ContributionLine, { key, at }: Column) => {
    const plain = kind === "size" || (isScore(kind) && (alone || key !== "difference"));
    const text = signed(printed?.[at] ?? line[key]);
    return plain ? text.replace("+", "") : text;
  };
  return (
    <table class={`imd-contributions is-${shown}`} data-testid={id}>
      <thead>
        <tr>
          {["column", "", ...used.map(({ name }) => name)].map((name, i) => (
            <th key={i} scope="col" title={name}>
              <span class={i < 2 ? "imd-aloud" : hide(used[i - 2]?.key ?? "")}>{name}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map((line, i) => (
          <tr key={i} class={`is-${line.kind}`}>
            <th scope="row" title={line.value ? `${line.name} = ${line.value}` : line.name}>
              {line.name}
              {line.value && <small> = {line.value}</small>}
            </th>
            <td>{mark(line, i)}</td>
            {used.map((column) => (
              <td key={column.key} title={`${column.name}: ${write(line, column)}`}>
                <span class={hide(column.key)}>{write(line, column)}</span>
                {column.key === "difference" && line.error !== null && (
                  <small> {errorTo(places)(line.error)}</small>
                )}
              </td>
            ))}
          </tr>
        ))}
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
export function Bars({ line, place }: { line: ContributionLine; place: Place }) {
  const { kind, difference, error } = line;
  const alone = useDiff().view.names[1] === undefined;
  const single = alone || kind === "base";
  const zero = place(0);
  const [low, high] = [place(difference - (error ?? 0)), place(difference + (error ?? 0))];
  return (
    <svg height={single ? 14 : 25} aria-hidden="true">
      <line class="is-zero" x1={`${zero}%`} x2={`${zero}%`} y2="100%" />
      {BARS.slice(single ? 2 : 0).map(({ key, y }) => {
        const end = place(line[key]);
        return (
          <rect
            key={key}
            class={`is-${key}`}
            x={`${Math.min(zero, end)}%`}
            y={single ? 4 : y}
            width={`${Math.abs(end - zero)}%`}
            height="6"
          />
        );
      })}
      {error !== null && (
        <line
          class="is-error"
          x1={`${low}%`}
          x2={`${high}%`}
          y1={single ? 7 : 19}
          y2={single ? 7 : 19}
        />
      )}
    </svg>
  );
}

/** Which marks are of which model, and what else they mean; one model needs no key. */
export function BarKey({ difference = "" }: { difference?: string | undefined }) {
  const { names } = useDiff().view;
  return names[1] === undefined ? null : (
    <p class="imd-why-key" aria-hidden="true">
      <i class="is-first" /> {names[0]} <i class="is-second" /> {names[1]}
      {difference && (
        <>
          {" "}
          <i class="imd-difference" />
        </>
      )}{" "}
      {difference}
    </p>
  );
}
