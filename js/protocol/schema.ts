// Generated from src/imd_widget/views/schema.py by tools/generate_schema.py: do not edit.

export type OutputKind = "class" | "proba" | "value";

/** What a listed column holds. */
export type Role = "output1" | "output2" | "truth" | "distance" | "column";

export type MethodName = "calibrated" | "imd" | "separate" | "direct";

export type Direction = "up" | "down" | "either";

/** The branch of its parent that a node is on. */
export type Edge = "yes" | "no" | "model1" | "model2";

/** Which model a node belongs to: 0 both (shared), 1 the first, 2 the second. */
export type Side = 0 | 1 | 2;

export type NodeKind = "split" | "or" | "leaf";

/** What one refinement step splits. */
export type Refined = "leaf" | "region";

/** Tabs of the panel. */
export type Tab = "Rules" | "Rows" | "Node" | "Why";

/** "auto" follows the host. */
export type Theme = "auto" | "light" | "dark";

/** The direction in which the tree grows. */
export type Orientation = "right" | "down";

/** Sort key of the list of rules; "added": what each adds to those before it, their own order. */
export type Order = "added" | "coverage" | "rows" | "rate";

/** Order of the models in the matrix of more than two: by similarity, or as given. */
export type MatrixOrder = "similarity" | "given";

/** Kinds of message that the front-end can send. */
export type MessageKind =
  | "hello"
  | "cancel"
  | "refine"
  | "undo"
  | "change"
  | "save"
  | "trace"
  | "rows"
  | "csv"
  | "histograms"
  | "growth"
  | "stability"
  | "alternatives"
  | "cohort"
  | "explain"
  | "interactions"
  | "map"
  | "what_if"
  | "smallest_change"
  | "pair";

export type Tone = "good" | "weak" | "none";

/**
 * agree: outside every rule. agreed: inside a rule of agreement. inside: agree, but inside a diff
 * rule. covered: differ, inside a diff rule. missed: differ, outside. differ: differ, and it is not
 * known whether inside a rule.
 */
export type PartKind = "agree" | "agreed" | "inside" | "covered" | "missed" | "differ";

/**
 * What happens at a node: the surrogates share a split, part, or stop; or one of them, which has
 * parted before, splits.
 */
export type Growth = "share" | "part" | "stop" | "split";

export type GivenOption = "nothing" | "m1" | "m2" | "margins";

/**
 * How a value is edited: as a number, as one of some choices, or as any text; "fixed": not at all.
 */
export type FieldKind = "number" | "choice" | "text" | "fixed";

/** The headline, in sentences; together they are `d.summary()`. */
export interface HeadlineView extends Headline {
  /**
   * For each of the last sentences that proposes another comparison: the options to change; none
   * where the models would have to be called.
   */
  advice: Change[];
}

/** Sentences in reading order, their tone and further notes; the same as a picture. */
export interface Headline {
  sentences: string[];
  tone: Tone;
  notes: string[];
  /** The sentence below the bar; empty if the bar is all there is. */
  short: string;
  /** All rows by whether the models differ and whether a rule covers them. */
  bar: BarPart[];
  /** What a change of models fixes and breaks; null without ground truth. */
  truth: TruthBar | null;
}

/** One part of the bar of all rows. */
export interface BarPart {
  kind: PartKind;
  /** Share of all rows, by weight; the shares add up to 1. */
  share: number;
  /** Share of the bar's length: `share`, unless a part is cut. */
  length: number;
  /** Whether the part is drawn shorter than to scale: the others would be too small to see. */
  cut: boolean;
  /** What the part is, for the legend: "28 % are not". */
  text: string;
}

/** What going from model 1 to model 2 changes, if the truth is known. */
export interface TruthBar {
  /** Rows that it puts right and rows that it gets wrong; sums of weights if rows have weights. */
  fixes: number;
  breaks: number;
  /**
   * Both in words, as the bar has them, and the difference: "boost breaks 223, fixes 428" and "net
   * +205".
   */
  text: string;
  net: string;
}

/** The kind and scale of the two models' outputs. */
export interface OutputsView {
  kind: OutputKind;
  /** The name of the output: "class", "probability of malignant", "value". */
  what: string;
  /** When a row counts as differing, in words: "more than 0.1 apart"; null for classes. */
  differs: string | null;
  /** The ends of the colour scale, as numbers and in words ("120k"); null for classes. */
  low: number | null;
  high: number | null;
  low_text: string | null;
  high_text: string | null;
  /** Whether rows have weights; shares are then by weight. */
  weighted: boolean;
}

/** Options that can be changed without calling the models again. */
export interface OptionsView {
  max_depth: number;
  /** null: chosen for the largest mean of F1 and Matthews' correlation. */
  sensitivity: number | null;
  /** Whether the method has a sensitivity, and takes a given model. */
  tunable: boolean;
  /** The model whose outputs rules may use, or "margins"; null: they use the columns alone. */
  given: "m1" | "m2" | "margins" | null;
  /** Whether rules may use a score of each model. */
  scores: boolean;
  /** Whether one split may separate several levels of a category. */
  sets: boolean;
  /** Largest number of rules; null: no limit. */
  max_rules: number | null;
  /** How far two outputs may be apart and still count as the same; null for classes. */
  tolerance: number | null;
  /** Whether `tolerance` is a share of the larger output instead of a distance. */
  relative: boolean;
  method: MethodName;
  /** For the method of the paper: condition (5) with this number; null: condition (6). */
  alpha: number | null;
}

/** One node of the joint tree. */
export interface NodeView {
  /**
   * A path: stable through refinement. "r" root, then "y" / "n" for yes / no, "1" / "2" below an
   * or-node.
   */
  id: string;
  parent: string | null;
  kind: NodeKind;
  side: Side;
  /** null for the root. */
  edge: Edge | null;
  /** Number of conditions above the node. */
  depth: number;
  /** For a split: its condition, "age < 42". Rows for which it holds go to the "yes" child. */
  condition: string | null;
  /** For a split: the name of its column, and its position in the table, since names may repeat. */
  column: string | null;
  position: number | null;
  /** For a split: histogram of that column over the rows of the node. */
  bars: SplitHistogram | null;
  /** For a leaf, if outputs are classes: the class that its surrogate predicts. */
  label: number | null;
  /** For a leaf: the prediction of its surrogate as text: a class name, "0.31", "310k". */
  said: string | null;
  /** For a leaf, if outputs are values or probabilities: the mean output of its model. */
  value: number | null;
  /**
   * For a leaf, if outputs are classes: the share of its rows to which its model gives the label.
   */
  purity: number | null;
  /**
   * For an impure leaf, if outputs are values or probabilities: "± 12k"; null if all outputs are
   * near the mean.
   */
  spread: string | null;
  /**
   * [class, rows, share by weight], most frequent first, at most 12: outputs of model 1, of model
   * 2. Empty for values.
   */
  counts: [[number, number, number][], [number, number, number][]];
  /** For values and probabilities: mean output of model 1 and of model 2 at the node. */
  means: [number, number] | null;
  /** Rows used to fit that reach the node, and those of them on which the models differ. */
  rows: number;
  differing: number;
  /** The share that differs, by weight if rows have weights; null if no row reaches the node. */
  rate: number | null;
  /** Numbers of the rules at or below the node. Not sent: derived from the leaves of the rules. */
  rules: number[];
  /** Whether the node with its whole subtree is one rule, or part of one. */
  region: boolean;
}

/** Numbers of rows by the value of a column, in a few bars. */
export interface SplitHistogram {
  /** Ends of the range of an ordered column, as text; empty for other columns. */
  low: string;
  high: string;
  /** Index of the first bar that goes to "no"; null for a column without order. */
  cut: number | null;
  /** Label of each bar; null for an ordered column. */
  labels: string[] | null;
  /** Numbers of rows on which the models agree and differ, by bar. */
  same: number[];
  differ: number[];
  /** The same two numbers for rows without a value; null if there are no such rows. */
  missing: [number, number] | null;
}

/** How a score that a condition is about is computed. */
export interface ScoreView {
  /** The constant, then the points of each column. */
  lines: string[];
  /** What the score means, in one sentence. */
  meaning: string;
}

/** One condition, which several rules may share. */
export interface ConditionView {
  text: string;
  column: string;
  /** Position of the column in the table. */
  position: number;
  /** The same for pandas and for SQL; null if the language cannot express it. */
  query: string | null;
  sql: string | null;
  /** The word, or pair of words, that it looks for in texts. */
  word: string | null;
  /** The score that the condition is about. */
  score: ScoreView | null;
}

/** An outcome pair of classes, by their numbers, and its share of a rule's differing rows. */
export interface OutcomeView extends OutcomePair {
  outcomes: [number, number];
}

/** The outputs of model 1 and model 2 on a part of a rule's differing rows. */
export interface OutcomePair {
  outcomes: [unknown, unknown];
  /** The same as it is shown. */
  said: [string, string];
  /** Of the rule's differing rows, by weight. */
  share: number;
}

/** One diff rule, or one rule of agreement. */
export interface RuleView {
  /** Its index in `rules`: the diff rules come first, then the rules of agreement. */
  number: number;
  /** Id of the lowest node that holds the whole rule. */
  node: string;
  /** Nodes whose whole subtrees lie inside the rule; empty if it is a part of one subtree. */
  nodes: string[];
  /** Leaf pairs (model 1, model 2) that make up the region. */
  leaves: [string, string][];
  /** The outcome pair of models 1 and 2, as classes; null for values. */
  outcomes: [number, number] | null;
  /** The same as means, for values and probabilities; null for classes. */
  values: [number, number] | null;
  /** The same as text. */
  said: [string, string];
  /** Share of its differing rows that have this outcome pair. */
  outcome_share: number;
  /** For classes: the next most frequent outcome pairs of its differing rows. */
  others: OutcomeView[];
  /**
   * Words before the outcome pairs in the title of the rule, such as "mostly"; empty if all its
   * differing rows have the pair.
   */
  title_before: string;
  /**
   * The outcome pairs that the title names: 0 is that of `outcomes` or `values`, 1 the first of
   * `others`, and so on; none for a rule of agreement.
   */
  title_pairs: number[];
  /** The sign or word between the outputs of the two models. */
  title_link: string;
  /** The text of a box of the tree after the first of these pairs: "either way" or "…". */
  title_more: string | null;
  /**
   * For numbers: whether the output of model 2 is higher, or lower, on three quarters of its
   * differing rows, or neither.
   */
  direction: Direction | null;
  /**
   * For numbers: rows (by weight) on which the output of model 2 is higher, and lower, by more than
   * the tolerance.
   */
  up: number | null;
  down: number | null;
  /** For classes: the most frequent output of each model inside, over differing and other rows. */
  usual: [string, string] | null;
  /** Indices into the view's conditions; a rule without any always holds. */
  conditions: number[];
  /** Those of them that the path to the rule's node implies. */
  shared: number[];
  /** Whether the models are predicted to agree inside. */
  agrees: boolean;
  /** Rows used to fit inside the rule, and those of them on which the models differ. */
  support: number;
  differing: number;
  /** differing / support, by weight if rows have weights; null if no row is inside. */
  rate: number | null;
  /**
   * Share of all differing rows (used to fit) that are inside the rule; for a rule of agreement the
   * share of all agreeing ones.
   */
  coverage: number;
  /** The same on the holdout; null if none of its rows is inside. */
  holdout_support: number;
  holdout_differing: number;
  holdout_rate: number | null;
  /** The rate on rows not used to fit; null if it was not measured. */
  measured_rate: number | null;
  /** Its 95 % interval; 0 to 1 if it is not known. */
  interval: [number, number];
  /**
   * The rate to expect on new rows: the measured one or, without it, `rate` corrected for the
   * choice of the rule on the rows used to fit; null if no row is inside.
   */
  expected_rate: number | null;
  /** Which model is right inside, and the same on the holdout; null without ground truth. */
  right: RightView | null;
  holdout_right: RightView | null;
  /** The same on rows not used to fit, with the interval of the net; null if it is not known. */
  correctness: RightView | null;
  /**
   * Whether the rows kept aside differ more often inside than outside beyond chance; null if that
   * was not tested.
   */
  confirmed: boolean | null;
  /** Its rows by the groups of the view's `by`, in the same order; null without it. */
  by: GroupRate[] | null;
}

/** Numbers of rows by which model is right, with errors and means as text. */
export interface RightView extends RightCounts {
  /**
   * For values and probabilities: the mean absolute error of each model, and the root mean squared
   * error.
   */
  errors: [string, string] | null;
  rmse: [string, string] | null;
  /** The mean of y, and of each model's outputs on the same rows. */
  mean_y: string | null;
  mean_outputs: [string, string] | null;
  /** For values: what a model is on the rows counted for it, such as "within 5"; null: "right". */
  within: string | null;
  /**
   * The model whose errors are smaller, 0 or 1; null if neither has both of them smaller, or if the
   * texts are the same.
   */
  closer: number | null;
  /**
   * 95 % interval of the rows that only model 2 is right on less those that only model 1 is, and
   * the p-value of a true difference of 0; null if they are not known.
   */
  net_interval: [number, number] | null;
  p_value: number | null;
  /** The loss that was asked for; null without. */
  loss: LossView | null;
}

/** Numbers of rows by which model is right; sums of weights if rows have weights. */
export interface RightCounts {
  both: number;
  /** Only model 1 is right: replacing it by model 2 breaks these rows. */
  first: number;
  /** Only model 2 is right: replacing model 1 by it fixes these rows. */
  second: number;
  neither: number;
  unknown: number;
}

/** The mean of a loss for both models, as text. */
export interface LossView {
  name: string;
  means: [string, string];
  /** The mean of model 2 less that of model 1, with its 95 % interval: "−0.02 (−0.03 to −0.01)". */
  difference: string;
}

/** The rows of one group. */
export interface GroupRate {
  /** The name of the group. */
  value: string;
  /** Numbers of rows, and of those on which the models differ. */
  rows: number;
  differing: number;
  /** Share of the rows that differ, by weight; null if there is no row. */
  rate: number | null;
  /** 95 % interval of the rate; (0, 1) if there is no row, or too few groups to tell. */
  interval: [number, number];
  /** The most frequent ways in which the models differ, at most three; empty in older files. */
  ways: GroupWay[];
  /** How often either model is right, with the interval of the net; null without `y`. */
  correctness: Right | null;
}

/** One way in which the models differ on rows of a group. */
export interface GroupWay {
  /**
   * The labels of both models, "search -> no"; for numbers "higher" or "lower", which describes the
   * second model.
   */
  text: string;
  /** Number of rows that differ in this way. */
  rows: number;
  /** Share of the group's differing rows, by weight. */
  share: number;
}

/** Rows by who is right about them; by weight, where rows have weights (1 on average). */
export interface Right extends RightCounts {
  /**
   * Of values and probabilities: how far either model is off the truth, on average over the rows
   * that have one: the mean absolute error. (Of a probability the truth is 0 or 1.)
   */
  errors: [number, number] | null;
  /**
   * The same as the root of the mean squared error; of probabilities, its square is the Brier
   * score.
   */
  rmse: [number, number] | null;
  /** Of values and probabilities: the mean of the truth. */
  mean_y: number | null;
  /** The mean of either model's outputs over the same rows. */
  mean_outputs: [number, number] | null;
  /**
   * For values and probabilities: the mean absolute error, the mean squared error, for
   * probabilities the log loss, and the loss given as `loss`, with their paired differences. Empty
   * where they were not computed: for nodes, on rows used to fit, in older files.
   */
  losses: PairedLoss[];
  /**
   * Number of independent rows with a truth that determine the net as well, which is lower than
   * `known` with weights, groups or cross-fitting. null if `net_interval` and `p_value` were not
   * computed; 0 if there are too few rows or groups.
   */
  effective_rows: number | null;
  /** Degrees of freedom of the variance of the net; null: infinitely many. */
  degrees: number | null;
}

/** The mean loss of both models on the same rows, and the difference of the two. */
export interface PairedLoss {
  /**
   * The loss: "absolute error", "squared error", "log loss", "deviance", or the name of a function.
   */
  name: string;
  /** Mean loss of either model, by weight. */
  means: [number, number];
  /** Mean loss of model 2 less that of model 1: below 0 if model 2 is better. */
  difference: number;
  /** Standard error of the difference; null if there are too few rows or groups. */
  error: number | null;
  /** Degrees of freedom of the standard error. */
  degrees: number;
  /** Whether `loss=` asked for it: reports then show it. */
  asked: boolean;
}

/** The refinement steps that were done, and those that are possible. */
export interface RefinementView {
  /** Refinement steps done. */
  steps: number;
  /** Whether the last step or change can be undone. */
  undoable: boolean;
  /** Number of leaves or regions (see `what`) that one more step would split. */
  impure: number;
  what: Refined;
  /** Ids of these leaves or regions. */
  targets: string[];
  /** Why no further step is possible; null if one is. */
  reason: string | null;
  /** What the last step changed, as text; null at step 0. */
  change: string | null;
  /** Ids of nodes that the last step added. */
  added: string[];
  /** For each rule before the last step: its number now, -1 if it is gone. Empty at step 0. */
  kept: number[];
  /** On a page: the number of steps that it holds; null in a widget, which computes them. */
  prepared: number | null;
}

/** The fields of a view; its lists of records have two forms. */
export interface ViewParts {
  version: 4;
  /** The user's names of the two models. */
  names: [string, string];
  /** Names of the classes; everywhere else a class is its index here. Empty for other outputs. */
  classes: string[];
  outputs: OutputsView;
  options: OptionsView;
  /** Names of the table's columns. */
  columns: string[];
  headline: HeadlineView;
  nodes: unknown;
  conditions: unknown;
  rules: unknown;
  metrics: Metrics;
  /** Which model is right, over all rows; null without ground truth. */
  right: RightView | null;
  refinement: RefinementView;
  /** For classes: the rows by the outputs of both models; null for numbers, and in older files. */
  crosstab: CrossTable | null;
  /** Whom the differences hit; null if no grouping was given. */
  by: GroupRates | null;
  /** Which of the two is the ground truth and no model, as in error analysis; 0 for neither. */
  truth: Side;
  /** Kinds of message that cannot be answered here, with the reason. */
  lacks: Partial<Record<MessageKind, string>>;
}

/** Measures of a diff, on rows kept aside where there are any; shares are by weight. */
export interface Metrics {
  /** All rows given. */
  n_rows: number;
  /** Rows on which the models differ. */
  n_differing: number;
  /** Share of all rows on which the models differ. */
  disagreement: number;
  /**
   * Share of the rows inside a rule that differ. 1 where no rule claims a row and none differs, 0
   * where none is claimed although some differ.
   */
  precision: number;
  /** Share of the differing rows that lie inside a rule; 1 where none differs. */
  recall: number;
  /** Harmonic mean of the two. */
  f1: number;
  /** Number of rules. */
  n_rules: number;
  /** Number of distinct comparisons in all rules together. */
  n_predicates: number;
  /**
   * Share of rows on which each surrogate predicts what its model predicts; of values and
   * probabilities the share of their variance that it explains.
   */
  fidelity: [number, number];
  /** Whether the measures come from rows kept aside; see measured_by. */
  on_holdout: boolean;
  /** The rows they come from. */
  measured_rows: number;
  /** Those of the measured rows on which the models differ. */
  measured_differing: number;
  /** Share of the measured rows that differ: the precision of a rule that is always true. */
  measured_disagreement: number;
  /** Those of the measured rows that lie inside a rule. */
  measured_claimed: number;
  /** Of values and probabilities: the mean of model 2's output less model 1's, over all rows. */
  mean_difference: number | null;
  /**
   * Matthews' correlation of lying inside a rule and differing: 1 where rules find all differences
   * and nothing else, 0 if they are unrelated. null in older files.
   */
  mcc: number | null;
  /** Share of the entropy of differing that lying inside a rule explains. null in older files. */
  explained: number | null;
  /**
   * F1 less that of a rule that is always true, with which it must be compared where models differ
   * often. null in older files.
   */
  f1_over_always: number | null;
  /**
   * What the measures come from: "holdout", rows kept aside; "cv", five folds, each measured with
   * rules fitted on the others; "none", the rows used to fit. null in older files.
   */
  measured_by: "holdout" | "cv" | "none" | null;
  /**
   * 95 % interval of precision on new rows; (0, 1) if there are too few groups to tell. null in
   * older files.
   */
  precision_interval: [number, number] | null;
  /**
   * 95 % interval of recall on new rows; (0, 1) if there are too few groups to tell. null in older
   * files.
   */
  recall_interval: [number, number] | null;
  /**
   * Share of the rows inside a rule of agreement on which the models agree; null without such
   * rules.
   */
  agreement_precision: number | null;
  /** Share of the agreeing rows that lie inside a rule of agreement; null without such rules. */
  agreement_recall: number | null;
  /** Those of the measured rows that lie inside a rule of agreement. null in older files. */
  agreement_claimed: number | null;
}

/** Numbers of rows by the label of model 1 and of model 2; rows of weight 0 are left out. */
export interface CrossTable {
  /**
   * Index of the label of model 1, of model 2, and the number of rows; the largest first. Pairs of
   * labels that do not occur are left out.
   */
  cells: [number, number, number][];
  /** Number of rows of the pairs after the first `MOST_CELLS`. */
  left_out: number;
}

/** The rates of all groups over all rows of the table. */
export interface GroupRates {
  /** The name of the column, or of the grouping. */
  name: string;
  groups: GroupRate[];
}

/** All that the front-end and plots may read of a diff; `d.to_dict()`. */
export interface DiffView extends ViewParts {
  /** Pre-order, root first, "yes" before "no", model 1 before model 2. */
  nodes: NodeView[];
  /** Each condition once; rules refer to them by index. */
  conditions: ConditionView[];
  rules: RuleView[];
}

/** A list of records by columns: one list per field, null if every record has null. */
export interface Columns<T> {
  count: number;
  fields: { [F in keyof T]?: T[F][] | null };
}

/** A view as it is sent to the widget and stored in a page. */
export interface PackedView extends ViewParts {
  nodes: Columns<NodeView>;
  conditions: Columns<ConditionView>;
  rules: Columns<RuleView>;
}

/** One node of a tree that is drawn by itself. */
export interface OneNodeView {
  /** A path: "r" root, then "y" / "n" for yes / no. */
  id: string;
  parent: string | null;
  kind: "split" | "leaf";
  edge: "yes" | "no" | null;
  depth: number;
  /** For a split: its question, "age < 42", and the name of its column. */
  condition: string | null;
  column: string | null;
  /** The class that is predicted here; null for numbers. */
  label: number | null;
  /** The prediction as text. */
  said: string;
  /** The number that is predicted here; null for classes. */
  value: number | null;
  /** The probability of the class; null for numbers. */
  purity: number | null;
  rows: number;
  /** What holds for the rows that reach the node, as text. */
  conditions: string[];
}

/** A tree that is drawn by itself: a surrogate of one model, or the tree of a learner. */
export interface OneTreeView {
  version: 1;
  title: string;
  sentences: string[];
  /** Whether the sentences are a warning. */
  careful: boolean;
  classes: string[];
  outputs: OutputsView;
  /** Pre-order, root first, "yes" before "no". */
  nodes: OneNodeView[];
}

/** A region in one period. */
export interface PeriodView {
  /** Share of the rows that differ, and its 95 % interval; null if they are not known. */
  rate: number | null;
  interval: [number, number] | null;
  /** Whether the rate or the net changed beyond chance, compared with the first period. */
  changed: boolean;
  /** All figures as text. */
  text: string;
}

/** A rule, what lies outside all rules, or all rows, over the periods. */
export interface RegionView {
  name: string;
  /** The conditions of a rule; "" for the others. */
  conditions: string;
  /** "no change", "grew in July". */
  verdict: string;
  /** The share at the upper edge of the chart. */
  top: number;
  periods: PeriodView[];
}

/** The rules of one diff over several periods. */
export interface TrackView {
  version: 1;
  title: string;
  sentences: string[];
  periods: string[];
  regions: RegionView[];
}

/** Rows stored in a page, which filters, sorts and traces them itself. */
export interface PageRows {
  /** Rows of the whole table. */
  total: number;
  /**
   * The two outputs, the ground truth if given, their distance if they are numbers, then the
   * columns of the table.
   */
  columns: string[];
  roles: Role[];
  /** How many of these are not columns of the table. */
  lead: number;
  positions: number[];
  labels: string[];
  /** As they are shown: numbers are rounded and long texts are cut. */
  cells: string[][];
  /** Row, column and text of the cells that are shown rounded or cut; files hold these. */
  whole: [number, number, string][];
  /** Number of texts that the page itself holds cut, as they are very long. */
  cut: number;
  /** By column, then by row: the rank of the row's value in the column; -1 if it is missing. */
  ranks: number[][];
  differs: boolean[];
  /** For each row: the outputs of both models as text. */
  said: [string, string][];
  /** For each step, for each row: the two leaves that it reaches. */
  leaves: [string, string][][];
  /**
   * For each step: pairs of leaves, the number of rows of the whole table that reach both, and the
   * number of these that differ.
   */
  sizes: [string, string, number, number][][];
}

/** What a page answers to a request to explain some rows: an explanation, or why not. */
export interface PageAnswer {
  /** Numbers of the rules whose rows they are; empty for all rows. */
  rules: number[];
  /** Ids of the nodes that have the same rows; "" for none selected. */
  nodes: string[];
  why: WhyView | null;
  error: string | null;
  /** Position of the row that it is about; null for all of them. */
  row: number | null;
}

/** Both models explained side by side on some rows: the part that the front-end draws. */
export interface WhyView {
  /** The conditions that the rows meet, as text. */
  text: string;
  /** What is explained of either model: "probability of yes". */
  what: string;
  note: string | null;
  tolerance: number | null;
  rows: number;
  /** Why there are no curves; null if there can be. */
  cannot: string | null;
  /** Why one of the models has none. */
  lacking: string | null;
  curves: CurveView[];
  /** Names of the columns without curves so far, the one that matters most first. */
  waiting: string[];
  /** Curves of the row, and its reason codes. */
  ice: IceView[];
  row: RowView | null;
  /** Of the surrogates that follow, and that the reason codes come from. */
  fidelity: FidelityView[];
  /** By column, the one that matters most to the difference first; null until computed. */
  importance: ImportanceView[] | null;
  /** Decision trees of model 1, of model 2 and of the difference; null until computed. */
  trees: TreeView[] | null;
  /**
   * Why the models differ on these rows, column by column; null until computed, or if a model
   * cannot be called.
   */
  contributions: ContributionsView | null;
  /** What if the rule did not hold: one for each of its conditions on a column. */
  conditions: CounterfactualView[];
  /** Contributions to the scores of the row; null without one. */
  row_contributions: ContributionsView | null;
  /** Of one model that is explained by itself; null until computed, and for two models. */
  imitation: ImitationView | null;
}

/** The partial dependence of both models on one column. */
export interface CurveView {
  column: string;
  position: number;
  /** Whether lines connect the points; paired dots otherwise. */
  ordered: boolean;
  moves: number;
  apart: number | null;
  rows: number;
  interval: IntervalView | null;
  points: PointView[];
}

/** The condition of the selected rule on a column: its text and its ends on the axis. */
export interface IntervalView {
  text: string;
  low: number | null;
  high: number | null;
}

/** One point of the curves of a column. */
export interface PointView {
  text: string;
  /**
   * Place on an axis, of moments and durations in seconds; null if the column has no order, and for
   * a missing value.
   */
  number: number | null;
  /** null for a model that cannot be called, here and below. */
  first: number | null;
  second: number | null;
  difference: number | null;
  /** One standard deviation over the rows: model 1, model 2, difference. */
  spread: (number | null)[];
  /** Share of the rows whose value is nearest to the point. */
  support: number;
}

/** The curves of one row on one column: at the points of the `CurveView` of that column. */
export interface IceView {
  column: string;
  position: number;
  value: string;
  first: (number | null)[];
  second: (number | null)[];
  difference: (number | null)[];
  outside: boolean[];
  text: string;
}

/** One row, explained. */
export interface RowView {
  row: number;
  scores: number[];
  score_texts: string[];
  cluster: number;
  /** Model 1, model 2, difference, as the surrogates predict them. */
  klime_baseline: number[];
  klime_predicted: number[];
  loco_baseline: number[];
  loco_predicted: number[];
  reasons: ReasonView[];
  text: string;
}

/** What one column contributes to the scores of a row, according to a surrogate. */
export interface ReasonView {
  column: string;
  value: string;
  /** Model 1, model 2, difference. */
  klime: number[];
  loco: number[];
}

/** How well a technique imitates the models on rows kept aside. */
export interface FidelityView {
  technique: string;
  /** null for a target that hardly varies, here and below: it has no R². */
  r2: (number | null)[];
  rmse: number[];
  text: string;
  warning: string | null;
}

/** How important a column is to the forest surrogates: model 1, model 2, difference. */
export interface ImportanceView {
  column: string;
  forest: number[];
  loco: number[];
}

/** A decision tree surrogate. */
export interface TreeView {
  name: string;
  what: string;
  rmse: number;
  r2: number | null;
  n_fit: number;
  n_aside: number;
  fidelity: string;
  rules: string[];
  nodes: TreeNodeView[];
}

/** A node of a decision tree surrogate. */
export interface TreeNodeView {
  question: string | null;
  yes: number | null;
  no: number | null;
  depth: number;
  rows: number;
  value: number;
  text: string;
}

/** Shapley contributions of the columns: they add up to the gap exactly. */
export interface ContributionsView {
  /** Mean score of either model on the background rows: where the contributions begin. */
  base: [number, number];
  /** Mean score of either model on the rows explained: where they end. */
  level: [number, number];
  level_texts: [string, string];
  gap: number;
  base_gap: number;
  gap_text: string;
  base_text: string;
  /**
   * Whether all rows are explained. Contributions to the scores of all rows average out, so the
   * `size` of each column is drawn, and the columns are ordered by it.
   */
  averages_out: boolean;
  /** The one that contributes most to the gap first. */
  columns: ContributionView[];
  /** The remaining columns together; null if there are none. */
  others: ContributionView | null;
  /** "RF gives a probability of 1 that is 0.51 higher than LR's on these rows: 0.94 and 0.42." */
  sentence: string;
  /** The sum in words: "LR - RF = -0.51 = -0.02 on average over all rows - 0.10 from ...". */
  total: string;
  /** Sentences about columns that one model uses and the other does not. */
  unused: string[];
  /**
   * Rows whose contributions are averaged, of how many, and rows that each model was called with.
   */
  rows: number;
  of_rows: number;
  asked: number;
  /** The same in words. */
  note: string;
}

/** What one column, or several together, contributes to the scores and to the gap. */
export interface ContributionView {
  /** Its name; "18 other columns" for the rest. */
  column: string;
  /** Position in the table; null for several columns together. */
  position: number | null;
  first: number;
  second: number;
  /** `first - second`, and its standard error; null for the rest, which has none. */
  difference: number;
  error: number | null;
  /**
   * The difference and its standard error as text: "-0.43", "0.01". If contributions average out,
   * the text is that of the third `size`.
   */
  text: string;
  error_text: string | null;
  /** Mean absolute contribution to model 1's score, to model 2's and to the difference. */
  size: number[];
  /** For one row: the value that it has in the column, as text; null otherwise. */
  value: string | null;
}

/** One condition of the selected rule or node: what if it did not hold? */
export interface CounterfactualView {
  column: string;
  position: number;
  /** The condition as text: "race is Unknown". */
  text: string;
  curve: CurveView;
  /** For each point of the curve: whether the condition holds there. */
  inside: boolean[];
  /** Number of the point that the sentence is about; null if no point lies outside. */
  at: number | null;
  /** Gap on the rows as they are, and at that point. */
  gap: number;
  gap_there: number | null;
  /** "If race were White, the gap would be -0.02 instead of -0.46." */
  sentence: string | null;
}

/** What imitates one model: linear models, and the columns of its decision tree. */
export interface ImitationView {
  /** Names of the features of the linear models. */
  features: string[];
  linear: LinearView[];
  ranked: RankedView;
  tree_columns: ShareView[];
  tree_pairs: ShareView[];
}

/** One linear model of K-LIME that imitates one model. */
export interface LinearView {
  /** "global", "cluster 1". */
  name: string;
  rows: number;
  /** On rows kept aside; null for too few of them, or if the score hardly varies there. */
  r2: number | null;
  intercept: number;
  /** By feature, per standard deviation. */
  coefficients: number[];
}

/** Predictions of one model and of the linear models that imitate it, the lowest first. */
export interface RankedView {
  /** Positions of the rows in the table; empty if the points are means. */
  rows: number[];
  labels: string[];
  model: number[];
  global_model: number[];
  local_models: number[];
  /** null without y. */
  truth: number[] | null;
  /** Number of rows of each point. */
  each: number;
}

/** How much of the squared error a column, or two on one path, reduce in a decision tree. */
export interface ShareView {
  columns: string[];
  share: number;
}

/** Explanations stored in a page: of all rows, and of rules of the step shown first. */
export interface PageWhy {
  answers: PageAnswer[];
  /** Which there are, and where others can be had, as sentences. */
  other: string;
}

/** The data from which a page answers messages. */
export interface PageContents {
  /** The views after each refinement step, and the index of the one shown first. */
  steps: PackedView[];
  at: number;
  rows: PageRows | null;
  /** null if none were requested. */
  why: PageWhy | null;
  /** How the tree of the step shown first grows; null if the page does not hold it. */
  growth: GrowthStep[] | null;
}

/** One node of the joint tree at the moment at which the tree grows there. */
export interface GrowthStep {
  /** Its id in `d.tree.ids`. */
  node: string;
  /**
   * Whether the surrogates share a split, part, or stop here; "split": the node belongs to one
   * surrogate, which splits.
   */
  kind: Growth;
  /** Rows used to fit at the node. */
  rows: number;
  /**
   * Impurity that is left by the best split for model 1, by that for model 2, and for both models
   * by the best common split, per row; 0: pure. For classes in bits of entropy, for numbers in
   * shares of their variance. null if there is no allowed split.
   */
  imp1: number | null;
  imp2: number | null;
  imp12: number | null;
  /** These splits as text. */
  split1: string | null;
  split2: string | null;
  split12: string | null;
  /** The split that the tree has at the node; null where the surrogates part or stop. */
  chosen: string | null;
  /** Why, in a sentence. */
  reason: string;
}

/** The data of a page of one model. */
export interface ModelPage {
  model: OneModelView;
  why: PageWhy;
}

/** One model that is explained by itself: what a widget or a page begins with. */
export interface OneModelView {
  version: 1;
  name: string;
  /** "RF: probability of yes on 569 rows (all rows)." */
  title: string;
  /** Number of rows of the table. */
  n_rows: number;
  /**
   * Positions and labels of the rows that a page holds; null in a notebook, where any can be had.
   */
  rows: number[] | null;
  labels: string[];
  /** Why messages of some kinds cannot be answered, by kind. */
  lacks: Record<string, string>;
}

/** More than two models: which of them differ, and how much. */
export interface ComparisonView {
  /** In the order given. */
  names: string[];
  /** Numbers of the models by similarity: average linkage, optimal leaf order. */
  order: number[];
  outputs: OutputKind;
  /** When two outputs differ, in words: "more than 0.1 apart"; null for classes. */
  differs: string | null;
  /** Whether rows have weights; shares and scores are then by weight. */
  weighted: boolean;
  /** Rows of the table that count. */
  n_rows: number;
  /** Share of the rows, by weight, on which i and j differ; symmetric, 0 on the diagonal. */
  shares: number[][];
  /** Number of rows on which they differ. */
  rows: number[][];
  /** The text below the matrix. */
  sentences: string[];
  /** With the ground truth, by model; null without. */
  scores: ModelScore[] | null;
  /** "accuracy", "mean absolute error". */
  score_name: string | null;
  /** With the ground truth: number of rows that model i gets wrong and model j right. */
  fixes: number[][] | null;
  /**
   * With the ground truth: whether models i and j have different scores beyond what chance
   * explains; null if that is not known.
   */
  apart: boolean[][] | null;
  skipped: Skipped[];
  /**
   * Pairs [i, j] that can be opened, model i first; null: every pair. A cell opens its pair in
   * either order if only one can be opened.
   */
  openable: [number, number][] | null;
  /** Why another pair cannot be opened; "" if all can. */
  why_not: string;
}

/** How good one model is, as the matrix shows it. */
export interface ModelScore {
  /** Accuracy, or the mean absolute error of values. */
  score: number;
  /** The score as text. */
  text: string;
  /**
   * Whether no other model has a better score, beyond what chance explains: see
   * `imd_widget.many.telling_apart`. The model with the best score is one, perhaps of several.
   */
  best: boolean;
}

/** A model that was left out, and why. */
export interface Skipped {
  name: string;
  reason: string;
}

/** Which rules are listed, and in what order. */
export interface Filters {
  text?: string;
  /** The name of a column; "" for any. */
  column?: string;
  /**
   * An outcome pair: two class numbers, "0,1"; for values "higher", "lower" or "either way"; "" for
   * any.
   */
  outcome?: string;
  order?: Order;
}

/** Traits that a saved page restores, so that it opens in the state of the widget. */
export interface PageState {
  /** Id of the selected node, "" for none. */
  selected_node: string;
  /** Numbers of the selected rules. */
  selected_rules: number[];
  /** The path of the traced row; null for none. */
  traced: Trace | null;
  orientation: Orientation;
  tab: Tab;
  /** Whether subtrees without a rule are folded. */
  differences_only: boolean;
  /** Nodes that the user folded (true) or unfolded (false), by id; these take precedence. */
  folds: Record<string, boolean>;
  filters: Filters;
  /** null until it is measured. */
  stability: Stability | null;
}

/** The path of one row through both surrogates. */
export interface Trace {
  /** Number of the row in the table, from 0. */
  row: number;
  /** Index label of the row, as text. */
  label: string;
  /** Ids of the nodes on the paths through both surrogates. */
  nodes: string[];
  /** Outputs of the models for the row, as text. */
  said: [string, string];
  /** Outputs of the surrogates for the row, as text. */
  surrogate: [string, string];
  /** Numbers of the rules that contain the row. */
  rules: number[];
  /** Whether the models differ on the row. */
  differs: boolean;
}

/** How often each rule is found again in bootstrap resamples of the rows used to fit. */
export interface Stability {
  /** Number of resamples. */
  n: number;
  /** For each rule, the number of resamples in which that overlap is at least 0.5. */
  found: number[];
  /**
   * For each rule, the mean over the resamples of its overlap with the rule there that overlaps it
   * most: the rows of the table inside both, divided by those inside either, by weight.
   */
  overlap: number[];
}

/** The widget's traits but for the view. */
export interface Traits extends PageState {
  theme: Theme;
  /** Pixels; null: as high as the content needs, within limits. */
  height: number | null;
}

/** All synchronised traits, by name. */
export interface WidgetState extends Traits {
  view: PackedView;
}

/** The further traits of a widget of more than two models; the others are of the open pair. */
export interface ComparisonTraits {
  comparison: ComparisonView;
  /** Numbers of the two models whose diff is shown, model 1 first; [] for none. */
  pair: number[];
  matrix_order: MatrixOrder;
}

/** The data of a saved page of more than two models. */
export interface ComparisonPage extends ComparisonTraits {
  theme: Theme;
  height: number;
  /**
   * By the numbers of the two models, model 1 first, "0,2": the data of a page of their diff, which
   * are `PageContents` and the traits that it restores.
   */
  pairs: Record<string, Record<string, unknown>>;
}

/** Every message has an id, which its answer repeats. */
export interface Identified {
  id: string;
}

/** Checks that the kernel runs and is idle. */
export interface HelloRequest {
  kind: "hello";
}

/** Cancels another message, which is answered with an error; this one has no answer. */
export interface CancelRequest {
  kind: "cancel";
  /** The id of the message to cancel. */
  of: string;
}

/** Requests one refinement step. */
export interface RefineRequest {
  kind: "refine";
}

/** Undoes the last step or change. */
export interface UndoRequest {
  kind: "undo";
}

/** Requests the diff that is shown as an HTML page. */
export interface SaveRequest {
  kind: "save";
}

/** Options for another comparison; omitted ones keep their values. `ModelDiff.change` checks. */
export interface Change {
  max_depth?: number;
  /** null: chosen for the largest mean of F1 and Matthews' correlation. */
  sensitivity?: number | null;
  /** The model whose outputs rules may use; "auto" chooses the better one. */
  given?: "m1" | "m2" | "auto" | "margins" | "nothing";
  /** Whether rules may use a score of each model. */
  scores?: boolean;
  /** Whether one split may separate several levels of a category. */
  sets?: boolean;
  /** null: no limit. */
  max_rules?: number | null;
  /** A number, or a share of the larger output, "10 %". */
  tolerance?: number | string;
  method?: MethodName;
  /** Condition (5) of the paper; null: condition (6). */
  alpha?: number | null;
}

/** Requests the diff with other options. */
export interface ChangeRequest {
  kind: "change";
  options: Change;
}

/** Requests the path of a row, which arrives in the trait `traced`. */
export interface TraceRequest {
  kind: "trace";
  /** Its position in the table. */
  row: number;
}

/** Sort key of rows. */
export interface Sort {
  /** Index into the columns of the rows. */
  column: number;
  descending: boolean;
}

/** Rows of the table: those of some rules, else those that reach a node. */
export interface Selection {
  rules: number[];
  /** Id of a node, "" for none. */
  node: string;
}

/** The same in an order; without rules and node, the rows inside any rule. */
export interface SortedSelection extends Selection {
  sort: Sort | null;
  /** Whether to return only rows on which the models differ. */
  differing: boolean;
}

/** Requests one page of the rows of a selection. */
export interface RowsRequest extends SortedSelection {
  kind: "rows";
  start: number;
  count: number;
}

/** Requests the rows of a selection as CSV. */
export interface CsvRequest extends SortedSelection {
  kind: "csv";
}

/** Requests histograms of the columns of some rules. */
export interface HistogramsRequest {
  kind: "histograms";
  rules: number[];
}

/** Requests how the joint tree grows. */
export interface GrowthRequest {
  kind: "growth";
}

/** Requests the stability of the rules, which arrives in the trait `stability`. */
export interface StabilityRequest {
  kind: "stability";
}

/** Requests what else rules may use, and how much they then explain. */
export interface AlternativesRequest {
  kind: "alternatives";
}

/** Requests the figures of a cohort of the user's own. */
export interface CohortRequest {
  kind: "cohort";
  /** As for `DataFrame.query`: age < 30 and job == 'nurse'. */
  condition: string;
}

/** Requests why the models differ on the rows of a selection; all rows without one. */
export interface ExplainRequest extends Selection {
  kind: "explain";
  /** Position of a row among them that is explained by itself too; null for none. */
  row: number | null;
  /** Whether the curves of all columns are wanted, not only the first ones. */
  more: boolean;
  /** Whether importance and decision trees are wanted too. */
  surrogates: boolean;
  /**
   * Whether curves are wanted, and the reason codes of the row. Without them the answer has the
   * contributions and the conditions of the rule, which come first.
   */
  curves: boolean;
  /** Rows that each model is called with at most for contributions; more make them more precise. */
  max_calls: number;
}

/** Requests the pairs of columns that interact most in the difference. */
export interface InteractionsRequest extends Selection {
  kind: "interactions";
}

/** Requests the difference over two columns, given by their positions in the table. */
export interface MapRequest extends Selection {
  kind: "map";
  columns: [number, number];
}

/** Requests what both models give for a row with some other values. */
export interface WhatIfRequest {
  kind: "what_if";
  /** Its position in the table. */
  row: number;
  /** The other values as text, by the position of their column: {"3": "40"}; null: missing. */
  values: Record<string, string | null>;
}

/** Requests the smallest change after which models agree, or one gives another output. */
export interface SmallestChangeRequest {
  kind: "smallest_change";
  row: number;
}

/** Opens the diff of two of more than two models; the first is model 1. */
export interface PairRequest {
  kind: "pair";
  pair: [number, number];
}

/** Sent while a message is worked on, with its id; its answer follows. */
export interface Progress {
  progress: ProgressView;
}

/** How much of the work is done. */
export interface ProgressView {
  done: number;
  total: number;
}

/** Why a message failed. */
export interface Refusal {
  error: string;
}

/** An answer without fields: changes arrive in the traits. */
export type Done = object;

/** The text of an HTML file. */
export interface SaveAnswer {
  page: string;
}

/** One page of rows. */
export interface RowsAnswer {
  rows: RowsPage;
}

/** Consecutive rows of a listing, as text. Rows are never sent in traits. */
export interface RowsPage {
  /** Number of rows of the listing, and index of the first one on this page. */
  total: number;
  start: number;
  /**
   * Names of the columns: the outputs of both models, `y` if it is known, the distance of the
   * outputs if they are numbers, the columns of the rules, then the others of the table.
   */
  columns: string[];
  /** What each of them holds: "output1", "output2", "truth", "distance" or "column". */
  roles: Role[];
  /** Number of columns before the other columns of the table. */
  lead: number;
  /** Numbers of the rows in the table. */
  positions: number[];
  /** Index labels of the rows, as text. */
  labels: string[];
  /** One tuple per row. */
  cells: string[][];
  /** Whether the models differ on each row. */
  differs: boolean[];
  /**
   * Row, column and text of the cells that are rounded or cut, up to `LONGEST_HELD` characters each
   * and `MOST_HELD` in all.
   */
  whole: [number, number, string][];
  /** On a saved page, which holds a sample: number of rows of the listing in the whole table. */
  of?: number;
  /** On a saved page: why the listing may have more rows. */
  note?: string;
}

/** The text of a CSV file. */
export interface CsvAnswer {
  csv: string;
}

/** One histogram for each column of the rules. */
export interface HistogramsAnswer {
  histograms: RuleHistogram[];
}

/** Numbers of rows of the table by the value of a column; rows of weight 0 are left out. */
export interface RuleHistogram {
  /** The name of the column. */
  column: string;
  /** The range or the category of each bin. */
  labels: string[];
  /** Rows inside the rules, and those of them on which the models differ, by bin. */
  inside: number[];
  inside_differing: number[];
  /** The same for the rows outside. */
  outside: number[];
  outside_differing: number[];
}

/** One step for each node that is not a leaf, level by level. */
export interface GrowthAnswer {
  steps: GrowthStep[];
}

/** What rules may use, and how much they then explain. */
export interface AlternativesAnswer {
  alternatives: Alternative[];
}

/** What rules may use, and how much they then explain. */
export interface Alternative {
  /** In words: "columns", "columns and scores", "given LR's output", "given how sure they are". */
  name: string;
  /** The option `given` of `ModelDiff.change`. */
  given: GivenOption;
  /** The option `scores` of `ModelDiff.change`. */
  scores: boolean;
  /** Number of rules. */
  n_rules: number;
  /**
   * Matthews' correlation of "inside a rule" and "the models differ", on rows that were not used to
   * fit the rules; null if there are no such rows.
   */
  mcc: number | null;
}

/** The figures of a cohort, to be read beside those of the rules. */
export interface CohortView {
  condition: string;
  rows: number;
  differing: number;
  rate: number | null;
  interval: [number, number];
  /** Share of all differing rows that are inside. */
  coverage: number;
  /** Rate of the rows outside. */
  outside_rate: number | null;
  /** The most frequent outcome pairs of its differing rows, for classes. */
  outcomes: OutcomeView[];
  right: RightView | null;
}

/** The figures of a cohort. */
export interface CohortAnswer {
  cohort: CohortView;
}

/** Why the models differ on some rows. */
export interface ExplainAnswer {
  why: WhyView;
}

/** The strongest pairs of columns. */
export interface InteractionsAnswer {
  interactions: InteractionsView;
}

/** The strongest interactions of the difference. */
export interface InteractionsView {
  pairs: PairView[];
  asked: number;
  note: string;
}

/** Two columns and how much they interact in the difference of the models. */
export interface PairView {
  columns: [string, string];
  positions: [number, number];
  /**
   * Mean absolute interaction: of the difference, of model 1, of model 2, in units of the score.
   */
  strength: number;
  first: number;
  second: number;
  error: number;
  text: string;
}

/** The difference over two columns. */
export interface MapAnswer {
  map: MapView;
}

/** The difference of the models over two columns, on average over the rows explained. */
export interface MapView {
  x: AxisView;
  y: AxisView;
  /** By value of `y`, then by value of `x`. */
  first: number[][];
  second: number[][];
  difference: number[][];
  /** Share of all rows that lie nearest to each cell. */
  support: number[][];
  rows: number;
  text: string;
}

/** One axis of a map: the values of a column. */
export interface AxisView {
  column: string;
  position: number;
  ordered: boolean;
  texts: string[];
  numbers: (number | null)[];
  /**
   * For each value: whether the condition of the rule on this column holds; all true without one.
   */
  inside: boolean[];
}

/** What both models give for an edited row. */
export interface WhatIfAnswer {
  what_if: WhatIfView;
}

/** A row with some other values: what both models give for it. */
export interface WhatIfView {
  row: number;
  label: string;
  fields: FieldView[];
  /** Outputs of the models as text, for the row of the table and for the edited one. */
  said_before: string[];
  said: string[];
  /** The scores that are explained (see `what`), in the same way. */
  what: string;
  scores_before: number[];
  scores: number[];
  score_texts_before: string[];
  score_texts: string[];
  differs_before: boolean;
  differs: boolean;
  /** Ids of the nodes on the paths of the edited row through both surrogates; its rules. */
  nodes: string[];
  rules: number[];
  contributions: ContributionsView | null;
  /** What the change does, in words. */
  text: string;
}

/** One column of a row that can be edited. */
export interface FieldView {
  column: string;
  position: number;
  /** The value in the table, and the one that is shown, as text that can be sent back. */
  original: string;
  value: string;
  changed: boolean;
  kind: FieldKind;
  /** The most frequent values of the column; a text may have others. */
  choices: string[];
  /** Numbers only: the least and the greatest value of the column. */
  low: number | null;
  high: number | null;
}

/** The smallest change after which models agree, or one gives another output. */
export interface SmallestChangeAnswer {
  change: SmallestChangeView;
}

/** The smallest change of a row after which models agree, or one gives another output. */
export interface SmallestChangeView {
  found: boolean;
  /** The row with this change; null if none was found. */
  what_if: WhatIfView | null;
  /** "The models agree if age is 40 instead of 71." */
  text: string;
  asked: number;
}

/** Work that the front-end asks of Python ... */
export type Work =
  | HelloRequest
  | CancelRequest
  | RefineRequest
  | UndoRequest
  | ChangeRequest
  | SaveRequest
  | TraceRequest
  | RowsRequest
  | CsvRequest
  | HistogramsRequest
  | GrowthRequest
  | StabilityRequest
  | AlternativesRequest
  | CohortRequest
  | ExplainRequest
  | InteractionsRequest
  | MapRequest
  | WhatIfRequest
  | SmallestChangeRequest
  | PairRequest;

/** ... under an id. */
export type Request = Work & Identified;

/** What comes back beside the id, by kind. */
export interface Answers {
  hello: Done;
  cancel: Done;
  refine: Done;
  undo: Done;
  change: Done;
  save: SaveAnswer;
  trace: Done;
  rows: RowsAnswer;
  csv: CsvAnswer;
  histograms: HistogramsAnswer;
  growth: GrowthAnswer;
  stability: Done;
  alternatives: AlternativesAnswer;
  cohort: CohortAnswer;
  explain: ExplainAnswer;
  interactions: InteractionsAnswer;
  map: MapAnswer;
  what_if: WhatIfAnswer;
  smallest_change: SmallestChangeAnswer;
  pair: Done;
}

export type Answer = Identified &
  Partial<
    Refusal &
      SaveAnswer &
      RowsAnswer &
      CsvAnswer &
      HistogramsAnswer &
      GrowthAnswer &
      AlternativesAnswer &
      CohortAnswer &
      ExplainAnswer &
      InteractionsAnswer &
      MapAnswer &
      WhatIfAnswer &
      SmallestChangeAnswer
  >;

export type AnswerTo<K extends MessageKind> = Answer & Answers[K];

/** Work that a button of the toolbar asks for, which shows that it is under way. */
export type ButtonWork =
  | "refine"
  | "undo"
  | "change"
  | "save"
  | "csv"
  | "growth"
  | "stability"
  | "alternatives"
  | "cohort"
  | "pair";

/** Work that leaves another state of the traits behind. */
export const CHANGING: readonly MessageKind[] = [
  "refine",
  "undo",
  "change",
  "trace",
  "stability",
  "pair",
];
