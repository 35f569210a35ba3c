// Whether a rule is more than chance, and what it gains or costs on rows not used to fit.

import type { DiffView, RuleView } from "../protocol/types";
import { amount } from "../text/format";
import "./Evidence.css";

const signed = (rows: number) => `${rows > 0 ? "+" : ""}${amount(rows)}`.replace("-", "−");

/** "net −21 of 30 held-out rows (−26 to −15)"; null if it is not known. */
export function netWords({ correctness: right }: RuleView): string | null {
  if (!right?.net_interval) return null;
  const known = right.both + right.first + right.second + right.neither;
  const net = right.second - right.first;
  const [low, high] = right.net_interval;
  const chance = net !== 0 && low <= 0 && high >= 0 ? ", may be chance" : "";
  const ends = `${signed(Math.round(low))} to ${signed(Math.round(high))}${chance}`;
  return `net ${signed(net)} of ${amount(known)} held-out rows (${ends})`;
}

const TESTED = "Fisher's exact test on the holdout rows, 5 % over all rules together";

export function Evidence({ rule, view }: { rule: RuleView; view: DiffView }) {
  const net = netWords(rule);
  const loss = rule.correctness?.loss;
  if (rule.confirmed === null && !net && !loss) return null;
  const [one, two] = view.names;
  const often = rule.agrees ? "agree more often" : "differ more often";
  return (
    <p class="imd-evidence">
      {rule.confirmed !== null && (
        <span
          class={rule.confirmed ? "is-confirmed" : "is-hint"}
          title={
            rule.confirmed
              ? `The models ${often} inside than elsewhere, beyond chance: ${TESTED}.`
              : `The holdout rows do not show that the models ${often} inside than elsewhere: ${TESTED}.`
          }
        >
          {rule.confirmed ? "confirmed" : "hint"}
        </span>
      )}
      {net && (
        <span
          title={`Rows on which only ${two} is right, less those on which only ${one} is, with a 95 % interval. These rows were not used to find the rule.`}
        >
          {net}
        </span>
      )}
      {loss && (
        <span title="On rows that were not used to find the rule; the difference with its 95 % interval.">
          mean {loss.name} {one} {loss.means[0]}, {two} {loss.means[1]}, difference{" "}
          {loss.difference}
        </span>
      )}
    </p>
  );
}
