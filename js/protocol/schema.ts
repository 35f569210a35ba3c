// Generated from src/imd_widget/views/schema.py by tools/generate_schema.py: do not edit.

export type OutputKind = "class" | "proba" | "value";

export type Tone = "good" | "weak" | "none";

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
  | "stability"
  | "cohort"
  | "explain"
  | "pair";

/** What a listed column of rows holds. */
export type Role = "output1" | "output2" | "truth" | "distance" | "column";

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

/** How well a technique imitates the models on rows kept aside. */
export interface FidelityView {
  technique: string;
  /** null for a target that hardly varies, here and below: it has no R². */
  r2: (number | null)[];
  rmse: number[];
  text: string;
  warning: string | null;
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

/** How important a column is to the forest surrogates: model 1, model 2, difference. */
export interface ImportanceView {
  column: string;
  forest: number[];
  loco: number[];
}

/** What the selected rule asks of a column: its text, and its ends on the axis, if any. */
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

/** What one column contributes to the scores of a row, as a surrogate tells. */
export interface ReasonView {
  column: string;
  value: string;
  /** Model 1, model 2, difference. */
  klime: number[];
  loco: number[];
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

/** The headline, in sentences. */
export interface HeadlineView {
  /** Sentences in reading order; together with the notes they are `d.summary()`. */
  sentences: string[];
  /**
   * "good": the rules explain the differences; "weak": they explain few; "none": nothing to
   * explain.
   */
  tone: Tone;
  /** Further facts: which model is right, how far apart values are. */
  notes: string[];
  /**
   * For each of the last sentences that proposes another comparison: the options to change; none
   * where the models would have to be called.
   */
  advice: Change[];
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

/** Numbers of rows by which model is right; sums of weights if rows have weights. */
export interface RightView {
  both: number;
  /** Only model 1 is right: replacing it by model 2 breaks these rows. */
  first: number;
  /** Only model 2 is right: replacing model 1 by it fixes these rows. */
  second: number;
  neither: number;
  unknown: number;
  /**
   * For values and probabilities, as text: the mean absolute error of each model, and the root mean
   * squared error.
   */
  errors: [string, string] | null;
  rmse: [string, string] | null;
  /** The mean of y, and of each model's outputs on the same rows, as text. */
  mean_y: string | null;
  mean_outputs: [string, string] | null;
  /** For values: what a model is on the rows counted for it, such as "within 5"; null: "right". */
  within: string | null;
  /** The model whose errors are smaller, 0 or 1; null if neither has both of them smaller. */
  closer: number | null;
}

/** Options that can be changed without calling the models again. */
export interface OptionsView {
  max_depth: number;
  /** null: chosen for the largest mean of F1 and Matthews' correlation. */
  sensitivity: number | null;
  /** Whether the method has a sensitivity, and takes a given model. */
  tunable: boolean;
  /** The model whose outputs rules may ask about; null: they ask about the columns alone. */
  given: "m1" | "m2" | null;
  /** Largest number of rules; null: no limit. */
  max_rules: number | null;
  /** How far two outputs may be apart and still count as the same; null for classes. */
  tolerance: number | null;
  /** Whether ``tolerance`` is a share of the larger output instead of a distance. */
  relative: boolean;
}

/** Histogram of the rows at a split over its column; every list has one entry per bar. */
export interface BarsView {
  /** The first and the last edge, as text. */
  low: string;
  high: string;
  /** Index of the first bar on the "no" side; null for an unordered column. */
  cut: number | null;
  /** For an unordered column: the category of each bar. */
  labels: string[] | null;
  /** Rows on which the models agree, and on which they differ. */
  same: number[];
  differ: number[];
  /** The same two counts for rows with a missing value; null if there are none. */
  missing: [number, number] | null;
}

/** One node of the joint tree as it is sent. */
export interface SentNodeView {
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
  bars: BarsView | null;
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
  /** Rows used to fit that reach the node, and those of them on which the models differ. */
  rows: number;
  differing: number;
  /** The share that differs, by weight if rows have weights; null if no row reaches the node. */
  rate: number | null;
  /**
   * [class, rows, share by weight], most frequent first, at most 12: outputs of model 1, of model
   * 2. Empty for values.
   */
  counts: [[number, number, number][], [number, number, number][]];
  /** For values and probabilities: mean output of model 1 and of model 2 at the node. */
  means: [number, number] | null;
  /** Whether the node with its whole subtree is one rule, or part of one. */
  region: boolean;
}

/** One node of the joint tree. */
export interface NodeView extends SentNodeView {
  /** Numbers of the rules at or below the node. Not sent: derived from the leaves of the rules. */
  rules: number[];
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
}

/** An outcome pair of classes, and its share of a rule's differing rows. */
export interface OutcomeView {
  outcomes: [number, number];
  said: [string, string];
  share: number;
}

/** The rows of one group, such as one value of a column. */
export interface GroupRate {
  value: string;
  rows: number;
  differing: number;
  /** differing / rows, by weight; null if there is no row. */
  rate: number | null;
  /** The 95 % interval of the rate. */
  interval: [number, number];
}

/** One diff rule, or one rule of agreement. */
export interface RuleView {
  /** Its index in `rules`: the diff rules come first, then the rules of agreement. */
  number: number;
  /** Whether the models are predicted to agree inside. */
  agrees: boolean;
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
  /** What a box of the tree says after the first of these pairs: "either way" or "…". */
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
  /** Which model is right inside, and the same on the holdout; null without ground truth. */
  right: RightView | null;
  holdout_right: RightView | null;
  /** Its rows by the groups of the view's `by`, in the same order; null without it. */
  by: GroupRate[] | null;
}

/** Measures of the whole diff. */
export interface MetricsView {
  /** All rows given, and those of them on which the models differ. */
  n_rows: number;
  n_differing: number;
  disagreement: number;
  precision: number;
  recall: number;
  f1: number;
  n_rules: number;
  n_predicates: number;
  /** Fidelity of each model's surrogate: for classes, the share of rows on which both agree. */
  fidelity: [number, number];
  /** Whether precision, recall, F1 and fidelity were measured on a holdout. */
  on_holdout: boolean;
  measured_rows: number;
  measured_differing: number;
  /** measured_differing / measured_rows, by weight. */
  measured_disagreement: number;
  /** Number of measured rows inside a rule. */
  measured_claimed: number;
  /** For numbers: mean of output 2 - output 1 over all rows. */
  mean_difference: number | null;
  /** Matthews' correlation of lying inside a rule and differing; null in older files. */
  mcc: number | null;
  /** Share of the entropy of differing that lying inside a rule explains; null in older files. */
  explained: number | null;
  /** F1 less that of a rule that is always true; null in older files. */
  f1_over_always: number | null;
  /**
   * What the measures come from: a holdout, five folds, or the rows used to fit; null in older
   * files.
   */
  measured_by: "holdout" | "cv" | "none" | null;
  /** The 95 % intervals of precision and recall; null in older files. */
  precision_interval: [number, number] | null;
  recall_interval: [number, number] | null;
  /** Measures of the rules of agreement; null if there is none. */
  agreement_precision: number | null;
  agreement_recall: number | null;
  /** Number of measured rows inside a rule of agreement; null in older files. */
  agreement_claimed: number | null;
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
  /** On a page: the number of steps that it holds; null in a widget, which computes them. */
  prepared: number | null;
}

/** Rows of the table by the labels of both models. */
export interface CrossTable {
  /** Label of model 1, label of model 2, number of rows; the largest first. */
  cells: [number, number, number][];
  /** Rows of the pairs of labels that are left out because they are too many. */
  left_out: number;
}

/** The rows of the table by groups, to see whom the differences hit. */
export interface ByView {
  /** The name of the column, or of the grouping. */
  name: string;
  groups: GroupRate[];
}

/** The fields of a view other than its lists of records. */
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
  metrics: MetricsView;
  /** Which model is right, over all rows; null without ground truth. */
  right: RightView | null;
  refinement: RefinementView;
  /** For classes: the rows by what both models say; null for numbers, and in older files. */
  crosstab: CrossTable | null;
  /** Whom the differences hit; null if no grouping was given. */
  by: ByView | null;
  /** Which of the two is the ground truth and no model, as in error analysis; 0 for neither. */
  truth: Side;
  /** Kinds of message that cannot be answered here, with the reason. */
  lacks: Partial<Record<MessageKind, string>>;
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
  nodes: Columns<SentNodeView>;
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
  /** The class that is predicted here, and its probability; null for numbers. */
  label: number | null;
  purity: number | null;
  /** The number that is predicted here; null for classes. */
  value: number | null;
  /** The prediction as text. */
  said: string;
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

/** The path of one row through both surrogates. */
export interface TraceView {
  /** Its position in the table. */
  row: number;
  /** Its index, as text. */
  label: string;
  /** Ids of all nodes that the row reaches, in both branches. */
  nodes: string[];
  /** Outputs of the two models for the row, and predictions of their surrogates, as text. */
  said: [string, string];
  surrogate: [string, string];
  /** Numbers of the rules that the row is inside. */
  rules: number[];
  /** Whether the models differ on the row. */
  differs: boolean;
}

/** One page of the rows of a selection. Rows are never sent in traits. */
export interface RowsView {
  total: number;
  /** On a page, which holds a sample: number of rows of the selection in the whole table. */
  of?: number;
  start: number;
  columns: string[];
  /** What each of the columns holds. */
  roles: Role[];
  /**
   * How many of the columns, from the left, are outputs, truth, distance, or columns that the
   * selection asks about.
   */
  lead: number;
  /** Position of each row in the table. */
  positions: number[];
  /** The index, as text. */
  labels: string[];
  cells: string[][];
  differs: boolean[];
  /** On a page, which holds a sample: why the selection may have more rows. */
  note?: string;
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
  /** null if none were asked for. */
  why: PageWhy | null;
}

/** How good one of the models is, where the ground truth is given. */
export interface ModelScore {
  score: number;
  /** As it is written on the diagonal: "86.2 %". */
  text: string;
  /** Whether no other model is better, beyond what chance explains; there may be several. */
  best: boolean;
}

/** A model that was left out of the comparison. */
export interface SkippedModel {
  name: string;
  reason: string;
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
  skipped: SkippedModel[];
  /** Pairs [i, j], i < j, that can be opened; null: every pair. */
  openable: [number, number][] | null;
  /** Why another pair cannot be opened; "" if all can. */
  why_not: string;
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

/** How often each diff rule is found again in resamples of the rows. */
export interface StabilityView {
  /** Number of resamples. */
  n: number;
  /** By rule: the number of resamples in which it is found again. */
  found: number[];
  /** By rule: the mean of its largest overlap with a rule of a resample. */
  overlap: number[];
}

/** Traits that a saved page restores, so that it opens in the state of the widget. */
export interface PageState {
  /** Id of the selected node, "" for none. */
  selected_node: string;
  /** Numbers of the selected rules. */
  selected_rules: number[];
  /** The path of the traced row; null for none. */
  traced: TraceView | null;
  orientation: Orientation;
  tab: Tab;
  /** Whether subtrees without a rule are folded. */
  differences_only: boolean;
  /** Nodes that the user folded (true) or unfolded (false), by id; these take precedence. */
  folds: Record<string, boolean>;
  filters: Filters;
  /** null until it is measured. */
  stability: StabilityView | null;
}

/** The widget's traits but for the view. */
export interface Traits extends PageState {
  theme: Theme;
  /** Pixels. */
  height: number;
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

/** Options for another comparison; omitted ones keep their values. */
export interface Change {
  max_depth?: number;
  /** null: chosen for the largest mean of F1 and Matthews' correlation. */
  sensitivity?: number | null;
  /** The model whose outputs rules may ask about; "auto" chooses the better one. */
  given?: "m1" | "m2" | "auto" | "nothing";
  /** null: no limit. */
  max_rules?: number | null;
  /** A number, or a share of the larger output, "10 %". */
  tolerance?: number | string;
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

/** Requests one page of the rows of a selection: the rules, else the node, else any rule. */
export interface RowsRequest {
  kind: "rows";
  rules: number[];
  /** Id of a node, "" for none. */
  node: string;
  start: number;
  count: number;
  sort: Sort | null;
  /** Whether to return only rows on which the models differ. */
  differing: boolean;
}

/** Requests the rows of a selection as CSV: the rules, else the node, else any rule. */
export interface CsvRequest {
  kind: "csv";
  rules: number[];
  node: string;
  sort: Sort | null;
  differing: boolean;
}

/** Requests histograms of the columns that some rules ask about. */
export interface HistogramsRequest {
  kind: "histograms";
  rules: number[];
}

/** Requests the stability of the rules, which arrives in the trait `stability`. */
export interface StabilityRequest {
  kind: "stability";
}

/** Requests the figures of a cohort of the user's own. */
export interface CohortRequest {
  kind: "cohort";
  /** As for ``DataFrame.query``: age < 30 and job == 'nurse'. */
  condition: string;
}

/** Requests why the models differ on some rows: of the rules, else of the node, else all. */
export interface ExplainRequest {
  kind: "explain";
  rules: number[];
  /** Id of a node, "" for none. */
  node: string;
  /** Position of a row among them that is explained by itself too; null for none. */
  row: number | null;
  /** Whether the curves of all columns are wanted, not only the first ones. */
  more: boolean;
  /** Whether importance and decision trees are wanted too. */
  surrogates: boolean;
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
  rows: RowsView;
}

/** The text of a CSV file. */
export interface CsvAnswer {
  csv: string;
}

/** A column's rows inside and outside some rules, and how many of them differ. */
export interface HistogramView {
  column: string;
  /** The range or the category of each bin, as text. */
  labels: string[];
  inside: number[];
  inside_differing: number[];
  outside: number[];
  outside_differing: number[];
}

/** One histogram for each column that the rules ask about. */
export interface HistogramsAnswer {
  histograms: HistogramView[];
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
  /** Names of the columns without curves so far. */
  waiting: string[];
  /** Curves of the row, and its reason codes. */
  ice: IceView[];
  row: RowView | null;
  /** Of the surrogates that follow, and that the reason codes come from. */
  fidelity: FidelityView[];
  /** By column, the one that matters most to the difference first; null if not asked for. */
  importance: ImportanceView[] | null;
  /** Decision trees of model 1, of model 2 and of the difference; null if not asked for. */
  trees: TreeView[] | null;
}

/** Why the models differ on some rows. */
export interface ExplainAnswer {
  why: WhyView;
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
  | StabilityRequest
  | CohortRequest
  | ExplainRequest
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
  stability: Done;
  cohort: CohortAnswer;
  explain: ExplainAnswer;
  pair: Done;
}

export type Answer = Identified &
  Partial<
    Refusal & SaveAnswer & RowsAnswer & CsvAnswer & HistogramsAnswer & CohortAnswer & ExplainAnswer
  >;

export type AnswerTo<K extends MessageKind> = Answer & Answers[K];

/** Work that a button of the toolbar asks for, which shows that it is under way. */
export type ButtonWork =
  | "refine"
  | "undo"
  | "change"
  | "save"
  | "csv"
  | "stability"
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
