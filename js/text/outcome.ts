// The output of a model at a node or in a rule, for every kind of output, so that no component tests the kind.

import type { NodeView, OutputsView, RuleView } from "../protocol/types";
import { percent } from "./format";

export interface Outcome {
  /** A class ... */
  label: number | null;
  /** ... or a number. */
  value: number | null;
}

/** The output of one model in a rule, or in a pair of its title. */
export function ruleOutcome(rule: Pick<RuleView, "outcomes" | "values">, side: 0 | 1): Outcome {
  return { label: rule.outcomes?.[side] ?? null, value: rule.values?.[side] ?? null };
}

/** An outcome pair that the title of a rule names. */
export interface NamedPair extends Pick<RuleView, "outcomes" | "values" | "said"> {
  /** Of the rule's differing rows; null if all have the pair, and for numbers. */
  share: number | null;
}

/** The outcome pairs that the title of a rule names: one, or two; none for a rule of agreement. */
export function namedPairs(rule: RuleView): NamedPair[] {
  const { outcomes, values, said, outcome_share, others, title_pairs } = rule;
  const own = { outcomes, values, said, share: outcome_share };
  const known = [own, ...others.map((pair) => ({ ...pair, values: null }))];
  return title_pairs.flatMap((place) => {
    const pair = known[place];
    if (!pair) return [];
    return [{ ...pair, share: pair.outcomes && pair.share < 1 ? pair.share : null }];
  });
}

/** The title of a rule in one line: "mostly no → yes (87 %)". */
export function titleText(rule: RuleView): string {
  const pairs = namedPairs(rule).map(({ said, share }) => {
    const after = share === null ? "" : ` (${percent(share)})`;
    return said.join(` ${rule.title_link} `) + after;
  });
  return [rule.title_before, pairs.join(" or ")].filter(Boolean).join(" ");
}

/** Where a number lies between the ends of the scale, 0 to 1; null for a class. */
export function scalePosition({ low, high }: OutputsView, { value }: Outcome): number | null {
  if (value === null || low === null || high === null) return null;
  return high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0.5;
}

/** How impure a leaf is: "93 %" of its rows, "± 12k"; null for a pure leaf. */
export function doubtOf({ purity, spread }: NodeView): string | null {
  return spread ?? (purity !== null && purity < 1 ? percent(purity) : null);
}

/** "about " before a mean of values, which single rows seldom have exactly. */
export function hedge({ kind }: OutputsView): string {
  return kind === "value" ? "about " : "";
}

/** The output of a leaf, and how much it varies: "benign (93 % of rows)", "about 310k ± 12k". */
export function outputText(outputs: OutputsView, leaf: NodeView): string {
  const doubt = doubtOf(leaf);
  const purity = doubt === null ? "" : leaf.spread === null ? ` (${doubt} of rows)` : ` ${doubt}`;
  return hedge(outputs) + (leaf.said ?? "") + purity;
}
