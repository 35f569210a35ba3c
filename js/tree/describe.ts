// The description of a box, for its tooltip and for screen readers.

import { count, percent, plural } from "../text/format";
import { outputText, titleText } from "../text/outcome";
import { agreeText, type TreeSource } from "./content";
import type { Box } from "./visible";

export function describe(box: Box, view: TreeSource): string {
  const { node } = box;
  if (view.single && box.kind === "split")
    return `${node.condition}? Mean ${node.said}, ${plural(node.rows, "row")}`;
  const rows = `${plural(node.rows, "row")}, ${count(node.differing)} differ`;
  const rules = node.rules.length > 0 ? `, ${plural(node.rules.length, "rule")}` : "";
  if (box.kind === "stub" && !box.folded) return `Not grown yet: ${plural(node.rows, "row")}`;
  if (box.kind === "stub" && node.agreement)
    return `The models ${agreeText(node)} here: ${rows}${rules}`;
  if (box.kind === "stub")
    return node.differing === 0
      ? `The models agree here: ${plural(node.rows, "row")}`
      : `No rule here: ${rows}`;
  if (box.kind === "pair" && box.pair) {
    const share = percent(node.rate);
    const rate = node.rows > 0 ? ` (${share})` : "";
    const said = box.pair.map((leaf, i) => `${view.names[i]}: ${outputText(view.outputs, leaf)}`);
    const rule = view.rules[node.rules[0] ?? -1];
    const alike = rule && !rule.agrees && box.pair[0].said === box.pair[1].said;
    const where = alike
      ? `. The box shows the most frequent outputs; where the models differ they are ${titleText(rule)}`
      : "";
    return `${said.join("; ")}. ${rows}${rate}${rules}${where}`;
  }
  if (box.kind === "or" && node.region) return `The models differ here: ${rows}${rules}`;
  if (box.kind === "or")
    return `Separate branches for ${view.names[0]} and ${view.names[1]} over the same ${rows}${rules}`;
  if (box.kind === "leaf") {
    const who = node.side === 0 ? "" : `${view.names[node.side - 1]}: `;
    return `${who}${outputText(view.outputs, node)}. ${plural(node.rows, "row")}${rules}`;
  }
  const who = node.side === 0 ? "" : ` (${view.names[node.side - 1]} only)`;
  return `${node.condition ?? ""}${who}: ${rows}${rules}`;
}
