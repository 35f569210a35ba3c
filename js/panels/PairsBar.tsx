// The outcome pairs of a rule's differing rows as one bar: above what model 1 predicts, below what model 2 predicts.

import type { DiffView, RuleView } from "../protocol/types";
import { percent } from "../text/format";
import { ruleOutcome } from "../text/outcome";
import { outcomeColor } from "../ui/colors";
import "./PairsBar.css";

/** A pair of outputs with less than this share of the differing rows does not stand for the rule. */
export const MOST_ROWS = 0.5;

/** Whether the differing rows of a rule have several outcome pairs. */
export const hasPairs = ({ agrees, outcomes, outcome_share }: RuleView) =>
  !agrees && outcomes !== null && outcome_share < 1;

/** The outcome pairs of a rule with their shares of the differing rows, and the share of pairs that are not known. */
export function pairsOf({ outcomes, said, outcome_share, others }: RuleView) {
  const own = { outcomes, said, share: outcome_share };
  const pairs = [own, ...others.filter(({ share }) => share > 0)].map((pair) => ({
    ...pair,
    values: null,
  }));
  const rest = 1 - pairs.reduce((sum, { share }) => sum + share, 0);
  return { pairs, rest: rest > 1e-6 ? rest : 0 };
}

export function PairsBar({ view, rule }: { view: DiffView; rule: RuleView }) {
  const { pairs, rest } = pairsOf(rule);
  const words = pairs.map(({ said, share }) => `${said.join(" → ")} ${percent(share)}`);
  if (rest > 0) words.push(`other pairs ${percent(rest)}`);
  const [one, two] = view.names;
  const title = `${one} → ${two} on the differing rows: ${words.join(", ")}`;
  return (
    <span class="imd-pairs-bar" role="img" aria-label={title} title={title}>
      {pairs.map((pair) => (
        <i key={pair.said.join()} style={{ flexGrow: pair.share }}>
          {([0, 1] as const).map((side) => (
            <b
              key={side}
              style={{
                background: outcomeColor(view.outputs, ruleOutcome(pair, side)),
              }}
            />
          ))}
        </i>
      ))}
      {rest > 0 && <i class="is-rest" style={{ flexGrow: rest }} />}
    </span>
  );
}
