// Which model is right inside a rule, if the ground truth is known. It has no hue: hues are for outputs.

import type { DiffView, RightView } from "../protocol/types";
import { amount } from "../text/format";
import "./Right.css";

type Names = DiffView["names"];
type Part = "first" | "second" | "neither" | "both";
const PARTS: readonly Part[] = ["first", "second", "neither", "both"];

const known = (right: RightView) => PARTS.reduce((sum, part) => sum + right[part], 0);

/** What a correct model is: "right", or for values "within 5 of y". */
const good = ({ within }: RightView) => (within ? `${within} of y` : "right");

/**
 * "RF right on 30", "LR on 12", "neither on 2": the better model first. Of values, being within the tolerance makes none
 * the better one: the models keep their order.
 */
export function rightWords(right: RightView, names: Names): { part: Part; text: string }[] {
  if (known(right) === 0) return [];
  const alone: { part: Part; text: string }[] = [];
  const is = good(right);
  if (right.first + right.second > 0) {
    const turned = !right.within && right.second > right.first;
    const order = turned ? ([1, 0] as const) : ([0, 1] as const);
    for (const side of order) {
      const part = side === 0 ? "first" : "second";
      const verb = side === order[0] ? ` ${is}` : "";
      alone.push({ part, text: `${names[side]}${verb} on ${amount(right[part])}` });
    }
  } else if (right.both > 0)
    alone.push({ part: "both", text: `both ${is} on ${amount(right.both)}` });
  if (right.neither === 0) return alone;
  const verb = alone.length === 0 ? ` ${is}` : "";
  return [...alone, { part: "neither", text: `neither${verb} on ${amount(right.neither)}` }];
}

/** The mean of y beside those of both models, and the errors of both; of classes nothing. */
export function errorWords(right: RightView, [one, two]: Names): string[] {
  const { errors, rmse, mean_y, mean_outputs, closer } = right;
  if (!errors) return [];
  const absolute = `mean absolute error ${one} ${errors[0]}, ${two} ${errors[1]}`;
  if (!rmse || !mean_outputs) return [absolute]; // the diff is from an older file
  const nearer = closer === null ? "" : `: ${closer === 0 ? one : two} is closer`;
  return [
    `y is ${mean_y} on average, ${one} ${mean_outputs[0]}, ${two} ${mean_outputs[1]}`,
    `${absolute}; root mean squared error ${rmse[0]}, ${rmse[1]}${nearer}`,
  ];
}

/** All counts, and what a change from model 1 to model 2 fixes and breaks. */
export function rightTitle(
  right: RightView,
  names: Names,
  weighted: boolean,
  where = "the rule",
): string {
  const [one, two] = names;
  const counts = [
    `only ${one} is ${good(right)} on ${amount(right.first)}`,
    `only ${two} on ${amount(right.second)}`,
    `both on ${amount(right.both)}`,
    `neither on ${amount(right.neither)}`,
  ];
  if (right.unknown > 0) counts.push(`unknown on ${amount(right.unknown)}`);
  const what = `${weighted ? "By weight, inside" : "Inside"} ${where}`;
  const change = `fixes ${amount(right.second)} and breaks ${amount(right.first)}`;
  return `${what}: ${counts.join(", ")}. Going from ${one} to ${two} ${change}.`;
}

interface RightProps {
  right: RightView;
  aside: RightView | null;
  names: Names;
  weighted: boolean;
  /** What the rows are inside of. */
  where?: string;
}

export function Right({ right, aside, names, weighted, where }: RightProps) {
  const words = rightWords(right, names);
  const asideWords = aside
    ? [
        ...errorWords(aside, names),
        rightWords(aside, names)
          .map(({ text }) => text)
          .join(", "),
      ]
    : [];
  const errors = errorWords(right, names).map((text) => (
    <p key={text} class="imd-right-errors">
      {text}
    </p>
  ));
  return (
    <div class="imd-right" title={rightTitle(right, names, weighted, where)}>
      <span class="imd-right-name">{right.within ? "who is closer to y" : "who is right"}</span>
      {right.within && errors}
      {words.length === 0 ? (
        <p>unknown for every row inside</p>
      ) : (
        <>
          <span class="imd-right-bar" aria-hidden="true">
            {PARTS.filter((part) => right[part] > 0).map((part) => (
              <i key={part} class={`is-${part}`} style={{ flexGrow: right[part] }} />
            ))}
          </span>
          <p>
            {words.map(({ part, text }, i) => (
              <span key={part}>
                {i > 0 && ", "}
                <i class={`imd-right-key is-${part}`} aria-hidden="true" />
                {text}
              </span>
            ))}
          </p>
        </>
      )}
      {!right.within && errors}
      {aside && known(aside) > 0 && (
        <small title={`On held-out rows. ${rightTitle(aside, names, weighted)}`}>
          held-out: {asideWords.join("; ")}
        </small>
      )}
    </div>
  );
}
