import type { Trace } from "../protocol/types";
import type { Selection } from "../state/useSelection";

/** Whether the traced row is one of the rows that are explained. */
export const isInside = (traced: Trace, { rules, node }: Pick<Selection, "rules" | "node">) =>
  rules.length > 0
    ? rules.some((rule) => traced.rules.includes(rule))
    : !node || traced.nodes.includes(node.id);
