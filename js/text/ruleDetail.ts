import type { DiffView, RuleView } from "../protocol/types";
import { amount, percent } from "./format";

/**
 * Sentences about the rows inside a rule that the title does not cover: differing rows with other
 * outputs, and rows on which the models agree.
 */
export function detailOf({ outputs, names }: DiffView, rule: RuleView): string[] {
  const { up, down, usual, rate } = rule;
  const said: string[] = [];
  if (up !== null && down !== null) {
    const byWeight = outputs.weighted ? " (by weight)" : "";
    const ways = `${names[1]} is higher on ${amount(up)} ${up === 1 ? "row" : "rows"}, lower on ${amount(down)}${byWeight}.`;
    if (rule.direction === "either") said.push(`Means over all rows here. ${ways}`);
    else if (up > 0 && down > 0) said.push(ways);
  } else {
    const rest = restOf(rule);
    if (rest.length > 0) said.push(`Differing rows include ${rest.join(", ")}.`);
  }
  if (usual && usual[0] === usual[1] && rate !== null && rate < 1)
    said.push(
      `They agree on the other ${percent(1 - rate)} of the rows. The box in the tree shows ${usual[0]}, the most frequent output of both.`,
    );
  return said;
}

/** The outcome pairs of classes that the title does not name: "10 % no → yes", "3 % other pairs". */
function restOf({ said, outcome_share, others, title_pairs }: RuleView): string[] {
  const known = [{ said, share: outcome_share }, ...others];
  const unknown = 1 - known.reduce((sum, { share }) => sum + share, 0);
  const rest = known.filter(({ share }, place) => share > 0 && !title_pairs.includes(place));
  const parts = rest.map(({ said, share }) => `${percent(share)} ${said.join(" → ")}`);
  return unknown > 1e-6 ? [...parts, `${percent(unknown)} other pairs`] : parts;
}
