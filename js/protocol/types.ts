// What the front-end reads: the contract with Python (schema.ts, generated), and a view once it is unpacked.

import type * as schema from "./schema";

export type * from "./schema";

/** A rule with its conditions instead of their places. */
export interface RuleView extends Omit<schema.RuleView, "conditions" | "shared"> {
  /** Empty: the rule always holds. `shared`: asked for on the way to the rule's node already. */
  conditions: (schema.ConditionView & { shared: boolean })[];
  /** As it travels: places of those that are shared. */
  shared?: number[];
}

/** A node with what is derived from the rules. */
export interface NodeView extends schema.NodeView {
  /**
   * "whole": the node with its subtree is one rule of agreement, or part of one. "below": it is not, and
   * every rule at or below it is a rule of agreement.
   */
  agreement?: "whole" | "below" | null;
}

/** Outputs with what is derived from the cross table. */
export interface OutputsView extends schema.OutputsView {
  /** For more classes than there are colours: the place of each class among those that differ most. */
  slots?: readonly number[] | null;
}

/** A view as it is drawn; see codec.ts. */
export interface DiffView
  extends Omit<schema.DiffView, "rules" | "conditions" | "nodes" | "outputs"> {
  nodes: NodeView[];
  outputs: OutputsView;
  rules: RuleView[];
  conditions?: unknown;
}

/** The traits, with the view as it is drawn. */
export interface WidgetState extends schema.Traits {
  /** Missing while a matrix of models is shown without the diff of a pair. */
  view: DiffView;
  /** More than two models; null in a widget of one diff. */
  comparison: schema.ComparisonView | null;
  pair: number[];
  matrix_order: schema.MatrixOrder;
  /** Of a widget that draws one tree alone, in place of the view. */
  tree?: schema.OneTreeView;
  /** Of a widget that draws a track, in place of the view. */
  track?: schema.TrackView;
  /** Of a widget that explains one model, in place of the view. */
  model?: schema.OneModelView;
}

/** A condition of the selected rule, and what if it did not hold. */
export type WhatIfNot = schema.WhyView["conditions"][number];

/** Filters with every field filled in. */
export type Filter = Required<schema.Filters>;
