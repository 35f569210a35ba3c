// Decodes a view, which travels by columns (src/imd_widget/views/codec.py), into records.

import type { Columns, ConditionView, DiffView, NodeView, PackedView, RuleView } from "./types";

/** A list of records, or the same by columns. */
type Records<T> = T[] | Columns<T>;

type SentNode = Omit<NodeView, "rules"> & { rules?: number[] };
type SentRule = Omit<RuleView, "conditions"> & {
  conditions: (number | RuleView["conditions"][0])[];
};

export type SentView = Omit<PackedView, "nodes" | "rules" | "conditions"> & {
  nodes: Records<SentNode>;
  rules: Records<SentRule>;
  conditions?: Records<ConditionView>;
};

function recordsOf<T>(sent: Records<T>): T[] {
  if (Array.isArray(sent)) return sent;
  const fields = Object.entries<unknown[] | null | undefined>(sent.fields);
  return Array.from(
    { length: sent.count },
    (_, i) => Object.fromEntries(fields.map(([name, values]) => [name, values?.[i] ?? null])) as T,
  );
}

/** Idempotent: a list that holds records already is left as it is. */
export function unpack(sent: SentView): DiffView {
  const conditions = recordsOf(sent.conditions ?? []);
  const rules = recordsOf(sent.rules).map((rule) => ({
    ...rule,
    conditions: rule.conditions.map((place) =>
      typeof place === "number"
        ? { ...(conditions[place] as ConditionView), shared: rule.shared?.includes(place) ?? false }
        : place,
    ),
  }));
  const outputs = { ...sent.outputs, slots: colorSlots(sent) };
  return { ...sent, outputs, rules, nodes: withRules(recordsOf(sent.nodes), rules) };
}

/** As many classes as there are colours that can be told apart. */
const COLORS = 8;

/**
 * The place of each class among all, those with most differing rows first: the first of them get the
 * colours. null where every class has one.
 */
export function colorSlots({
  classes,
  crosstab,
}: Pick<SentView, "classes" | "crosstab">): number[] | null {
  if (classes.length <= COLORS || !crosstab) return null;
  const differing = classes.map(() => 0);
  for (const [one, two, rows] of crosstab.cells)
    if (one !== two)
      for (const label of [one, two]) differing[label] = (differing[label] ?? 0) + rows;
  const order = classes
    .map((_, i) => i)
    .sort((a, b) => (differing[b] ?? 0) - (differing[a] ?? 0) || a - b);
  const slots = classes.map(() => 0);
  for (const [slot, label] of order.entries()) slots[label] = slot;
  return slots;
}

/** Ids are paths: a rule is below every node that one of its leaves begins with. */
function withRules(nodes: SentNode[], rules: RuleView[]): NodeView[] {
  const below = new Map<string, Set<number>>(nodes.map(({ id }) => [id, new Set()]));
  for (const { number, leaves } of rules)
    for (const leaf of leaves.flat())
      for (let end = leaf.length; end > 0; end -= 1) below.get(leaf.slice(0, end))?.add(number);
  const agreeing = rules.filter(({ agrees }) => agrees);
  const whole = new Set(agreeing.flatMap((rule) => rule.nodes));
  const agrees = (number: number) => rules[number]?.agrees ?? false;
  return nodes.map((node) => {
    const own = node.rules ?? [...(below.get(node.id) ?? [])];
    const only = own.length > 0 && own.every(agrees);
    const agreement = whole.has(node.id) ? "whole" : only ? "below" : null;
    return { ...node, rules: own, agreement };
  });
}
