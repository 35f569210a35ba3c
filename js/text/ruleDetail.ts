import type { DiffView, RuleView } from "../protocol/types";
import { amount, percent } from "./format";

/**
 * Sentences about the rows inside a rule that are not as its outcomes say: differing rows with other
 * outcomes, and rows on which the models agree.
 */
export function detailOf({ outputs, names }: DiffView, rule: RuleView): string[] {
  const { up, down, others, usual, rate } = rule;
  const said: string[] = [];
  if (up !== null && down !== null) {
    const byWeight = outputs.weighted ? " (by weight)" : "";
    const ways = `${names[1]} is higher on ${amount(up)} ${up === 1 ? "row" : "rows"}, lower on ${amount(down)}${byWeight}.`;
    if (rule.direction === "either")
      said.push(
        `These are the means of all rows here. Single rows are ${outputs.differs}, either way: ${ways}`,
      );
    else if (up > 0 && down > 0) said.push(ways);
  } else if (rule.outcome_share < 1) {
    const pairs = others.map(({ said: [one, two], share }) => `${percent(share)} ${one} → ${two}`);
    const told = others.reduce((sum, { share }) => sum + share, rule.outcome_share);
    if (told < 1 - 1e-6) pairs.push(`${percent(1 - told)} otherwise`);
    const rest = pairs.length > 0 ? `, ${pairs.join(", ")}` : "";
    said.push(`Of the rows that differ, ${percent(rule.outcome_share)} are like this${rest}.`);
  }
  if (usual && usual[0] === usual[1] && rate !== null && rate < 1)
    said.push(
      `On the other ${percent(1 - rate)} of the rows they agree. Most often both say ${usual[0]}: that is what the box in the tree shows.`,
    );
  return said;
}
