// Which model is right inside a rule, if the ground truth is known. It has no hue: hue means what a model says.

import type { DiffView, RightView } from "../protocol/types";
import { amount } from "../text/format";
import "./Right.css";

type Names = DiffView["names"];
type Part = "first" | "second" | "neither" | "both";
const PARTS: readonly Part[] = ["first", "second", "neither", "both"];

const known = (right: RightView) => PARTS.reduce((sum, part) => sum + right[part], 0);

/** "RF right on 30", "LR on 12", "neither on 2": the better model first. */
export function verdictWords(right: RightView, names: Names): { part: Part; text: string }[] {
  if (known(right) === 0) return [];
  const alone: { part: Part; text: string }[] = [];
  if (right.first + right.second > 0) {
    const order = right.second > right.first ? ([1, 0] as const) : ([0, 1] as const);
    for (const side of order) {
      const part = side === 0 ? "first" : "second";
      const verb = side === order[0] ? " right" : "";
      alone.push({ part, text: `${names[side]}${verb} on ${amount(right[part])}` });
    }
  } else if (right.both > 0)
    alone.push({ part: "both", text: `both right on ${amount(right.both)}` });
  if (right.neither === 0) return alone;
  const verb = alone.length === 0 ? " right" : "";
  return [...alone, { part: "neither", text: `neither${verb} on ${amount(right.neither)}` }];
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
    `only ${one} is right on ${amount(right.first)}`,
    `only ${two} on ${amount(right.second)}`,
    `both on ${amount(right.both)}`,
    `neither on ${amount(right.neither)}`,
  ];
  if (right.unknown > 0) counts.push(`not known on ${amount(right.unknown)}`);
  const what = weighted ? `By weight, inside ${where}` : `Of the rows inside ${where}`;
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
  const words = verdictWords(right, names);
  const asideWords = aside ? verdictWords(aside, names) : [];
  return (
    <div class="imd-right" title={rightTitle(right, names, weighted, where)}>
      <span class="imd-right-name">who is right</span>
      {words.length === 0 ? (
        <p>not known for any row inside</p>
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
      {right.errors && (
        <p>
          off by {right.errors[0]} ({names[0]}) and {right.errors[1]} ({names[1]}) on average
        </p>
      )}
      {aside && asideWords.length > 0 && (
        <small title={`On rows kept aside. ${rightTitle(aside, names, weighted)}`}>
          kept aside: {asideWords.map(({ text }) => text).join(", ")}
        </small>
      )}
    </div>
  );
}
