// Views to draw: tests/golden/views has them as Python sends them (tests/unit/example_views.py makes them).

/// <reference types="vite/client" />

import { type SentView, unpack } from "../../js/protocol/codec";
import type {
  ComparisonPage,
  ComparisonView,
  DiffView,
  NodeView,
  RuleView,
  WidgetState,
} from "../../js/protocol/types";

const sent = import.meta.glob<SentView>("../golden/views/*.json", {
  eager: true,
  import: "default",
});

const comparisons = import.meta.glob<ComparisonView>("../golden/comparisons/*.json", {
  eager: true,
  import: "default",
});

/** A comparison of tests/unit/example_comparisons.py: "six", "two", "thirty", "prices", "same", "hostile". */
export function comparisonNamed(name: string): ComparisonView {
  const found = comparisons[`../golden/comparisons/${name}.json`];
  if (!found) throw new Error(`tests/golden/comparisons has no ${name}.json`);
  return structuredClone(found);
}

/** The data of a page of "six" with three of its pairs. */
export const comparisonPage = () => comparisonNamed("page") as unknown as ComparisonPage;

/** A fresh one each time: a test may change it. */
export function viewNamed(name: string): DiffView {
  const found = sent[`../golden/views/${name}.json`];
  if (!found) throw new Error(`tests/golden/views has no ${name}.json`);
  return unpack(structuredClone(found));
}

/** Two classes, shared splits, branches of either model, rules in both directions. */
export const breastCancer = () => viewNamed("cancer");
/** The same with ground truth, which is not known for every tenth row or so. */
export const judged = () => viewNamed("judged");
/** Rules that hold subtrees as a whole, as the default method makes them. */
export const regions = () => viewNamed("regions");
export const threeClasses = () => viewNamed("three_classes");
/** Two regressions of house prices. */
export const houses = () => viewNamed("values");
/** Probabilities of two classifiers. */
export const chances = () => viewNamed("probabilities");
/** As many classes as there are products in a shop: most of them without a colour of their own. */
export const manyClasses = () => viewNamed("many_classes");
/** Rows of different weight: shares are not those of the counts. */
export const weighted = () => viewNamed("weighted");
export const noDifference = () => viewNamed("no_difference");
/** The root is an or-node: one rule that always holds. */
export const always = () => viewNamed("always");
/** Models that differ nearly everywhere: rules of agreement, groups, and the ground truth as the second. */
export const mostlyDifferent = () => viewNamed("mostly_different");
/** Names as someone who means harm, or knows nothing of HTML, would choose them. */
export const hostile = () => viewNamed("hostile");

/** One or-node with two leaves below one question, as if it could be refined. */
export function small(): DiffView {
  const view = viewNamed("small");
  return { ...view, refinement: { ...view.refinement, impure: 3, what: "leaf", reason: null } };
}

/** 32 times the same view below 31 questions. */
export function big(): DiffView {
  let view = breastCancer();
  for (let level = 0; level < 5; level += 1) view = doubled(view);
  return view;
}

/** The view twice below a question: once for yes, once for no. */
function doubled(view: DiffView): DiffView {
  const [root] = view.nodes as [NodeView];
  const top = {
    ...root,
    rows: 2 * root.rows,
    differing: 2 * root.differing,
    rules: [...view.rules, ...view.rules].map((_, number) => number),
  };
  const below = (word: "yes" | "no", first: number) => {
    const moved = (id: string) => `r${word[0]}${id.slice(1)}`;
    const nodes = view.nodes.map((node) => ({
      ...node,
      id: moved(node.id),
      parent: node.parent === null ? "r" : moved(node.parent),
      edge: node.parent === null ? word : node.edge,
      depth: node.depth + 1,
      rules: node.rules.map((number) => first + number),
    }));
    const rules: RuleView[] = view.rules.map((rule) => ({
      ...rule,
      number: first + rule.number,
      node: moved(rule.node),
      nodes: rule.nodes.map(moved),
      leaves: rule.leaves.map(([one, two]) => [moved(one), moved(two)]),
    }));
    return { nodes, rules };
  };
  const [yes, no] = [below("yes", 0), below("no", view.rules.length)];
  return {
    ...view,
    nodes: [top, ...yes.nodes, ...no.nodes],
    rules: [...yes.rules, ...no.rules],
  };
}

export function stateOf(view: DiffView, fields: Partial<WidgetState> = {}): WidgetState {
  return {
    view,
    selected_node: "",
    selected_rules: [],
    traced: null,
    tab: "Rules",
    orientation: "right",
    differences_only: true,
    folds: {},
    filters: {},
    stability: null,
    theme: "light",
    height: 560,
    comparison: null,
    pair: [],
    matrix_order: "similarity",
    ...fields,
  };
}
