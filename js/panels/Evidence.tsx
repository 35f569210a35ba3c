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

const TESTED = "Fisher's exact test on the held-out rows, 5 % over all rules together";

/** Whether held-out rows show that the models differ more often inside a rule than elsewhere; nothing if it was not tested. */
export function Mark({ rule: { agrees, confirmed }, long = false }: MarkProps) {
  if (confirmed === null) return null;
  const often = agrees ? "agree more often" : "differ more often";
  return (
    <span
      class={`imd-mark ${confirmed ? "is-confirmed" : "is-hint"}`}
      title={
        confirmed
          ? `The models ${often} inside than elsewhere, beyond chance: ${TESTED}.`
          : `The held-out rows do not show that the models ${often} inside than elsewhere: ${TESTED}.`
      }
    >
      {confirmed ? "confirmed" : "hint"}
      {long && (confirmed ? `: they ${often} here than elsewhere` : `: may be chance`)}
    </span>
  );
}

interface MarkProps {
  rule: RuleView;
  /** Whether it explains itself. */
  long?: boolean;
}

export function Evidence({ rule, view }: { rule: RuleView; view: DiffView }) {
  const net = netWords(rule);
  const loss = rule.correctness?.loss;
  if (rule.confirmed === null && !net && !loss) return null;
  const [one, two] = view.names;
  return (
    <p class="imd-evidence">
      <Mark rule={rule} long />
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
