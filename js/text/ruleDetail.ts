import type { DiffView, RuleView } from "../protocol/types";
import { amount, percent } from "./format";

/** Sentences about the rows inside a rule that its outcome pairs do not cover, such as those on which the models agree. */
export function detailOf({ outputs, names }: DiffView, rule: RuleView): string[] {
  const { up, down, usual, rate } = rule;
  const said: string[] = [];
  if (up !== null && down !== null) {
    const byWeight = outputs.weighted ? " (by weight)" : "";
    const ways = `${names[1]} is higher on ${amount(up)} ${up === 1 ? "row" : "rows"}, lower on ${amount(down)}${byWeight}.`;
    if (rule.direction === "either") said.push(`Means over all rows here. ${ways}`);
    else if (up > 0 && down > 0) said.push(ways);
  }
  if (usual && usual[0] === usual[1] && rate !== null && rate < 1)
    said.push(
      `They agree on the other ${percent(1 - rate)} of the rows. The box in the tree shows ${usual[0]}, the most frequent output of both.`,
    );
  return said;
}
