import type { NodeView } from "../protocol/types";

/** Where the rules or rows of a node lie, in words: "below “age < 42”". */
export function locationOf(node: NodeView): string {
  if (node.region) return "in this region";
  if (node.kind === "split") return `below “${node.condition ?? ""}”`;
  return node.kind === "leaf" ? "in this leaf" : "below this node";
}

/** Where what is selected lies: the rules, else the node, else what `otherwise` says. */
export function whereOf(rules: readonly number[], node: NodeView | null, otherwise: string) {
  if (rules.length > 0) return `inside ${rules.length > 1 ? "rules" : "rule"} ${rules.join(", ")}`;
  return node ? locationOf(node) : otherwise;
}
