// Generated from src/imd_widget/views/schema.py by tools/generate_schema.py: do not edit.

export type OutputKind = "class" | "proba" | "value";

export type Tone = "good" | "weak" | "none";

export type Direction = "up" | "down" | "either";

/** How a node hangs on its parent. */
export type Edge = "yes" | "no" | "model1" | "model2";

/** Which model a node belongs to: 0 both (shared), 1 the first, 2 the second. */
export type Side = 0 | 1 | 2;

export type NodeKind = "split" | "or" | "leaf";

/** What one refinement step splits. */
export type Refined = "leaf" | "region";

/** What the panel shows. */
export type Tab = "Rules" | "Rows" | "Node";

/** "auto" follows the host. */
export type Theme = "auto" | "light" | "dark";

/** Where the tree grows to. */
export type Orientation = "right" | "down";

/** What the list of rules is ordered by. */
export type Order = "coverage" | "rows" | "rate";

/** What the front-end can ask for. */
export type MessageKind =
  | "hello"
  | "cancel"
  | "refine"
  | "undo"
  | "change"
  | "save"
  | "trace"
  | "rows";

/** The headline, in sentences. */
export interface HeadlineView {
  /** Sentences in reading order; together with the notes they are `d.summary()`. */
  sentences: string[];
  /**
   * "good": the rules explain the differences; "weak": they explain few; "none": nothing to
   * explain.
   */
  tone: Tone;
  /** What else is to be known: who is right, how far apart values are. */
  notes: string[];
}

/** What the outputs of the two models are. */
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
  /** Rows do not all count the same: shares are by weight. */
  weighted: boolean;
}

/** Counts of rows by who is right; sums of weights, perhaps not whole, where rows have them. */
export interface RightView {
  both: number;
  /** Only model 1 is right: what going on to model 2 breaks. */
  first: number;
  /** Only model 2 is right: what going on to model 2 fixes. */
  second: number;
  neither: number;
  unknown: number;
  /** Of values and probabilities: how far either model is off the truth on average, in words. */
  errors: [string, string] | null;
}

/** What can be changed without asking the models again. */
export interface OptionsView {
  max_depth: number;
  /** null: chosen for the best F1. */
  sensitivity: number | null;
  /** Whether sensitivity has a meaning. */
  tunable: boolean;
}

/** How the rows at a split are spread over its column; every list has one entry a bar. */
export interface BarsView {
  /** The first and the last edge, in words. */
  low: string;
  high: string;
  /** Index of the first bar that says no; null for a column without order. */
  cut: number | null;
  /** Of a column without order: one a bar. */
  labels: string[] | null;
  /** Rows on which the models say the same, and on which they differ. */
  same: number[];
  differ: number[];
  /** The two counts of the rows that have no value; null where there is none. */
  missing: [number, number] | null;
}

/** One node of the joint tree as it travels. */
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
  /** Of a split, in words: "age < 42". Rows for which it holds go to the "yes" child. */
  condition: string | null;
  /**
   * Of a split: the column that it asks about, and its place in the table: names may stand for
   * several.
   */
  column: string | null;
  position: number | null;
  /** Of a split: how that column is spread over the rows of the node. */
  bars: BarsView | null;
  /** Of a leaf of a class diff: the class that its model says there. */
  label: number | null;
  /** Of a leaf: what its model says there, in words: a class name, "0.31", "310k". */
  said: string | null;
  /** Of a leaf of a value or probability diff: the mean of what its model says. */
  value: number | null;
  /** Of a leaf of a class diff: share of its rows to which its model gives the label. */
  purity: number | null;
  /**
   * Of an impure leaf of a value or probability diff: "± 12k"; null where all values are near the
   * mean.
   */
  spread: string | null;
  /** Rows used to fit that reach the node, and those of them on which the models differ. */
  rows: number;
  differing: number;
  /** The share that differs, by weight where rows have weights; null where no row is. */
  rate: number | null;
  /**
   * [class, rows, share by weight], most frequent first, at most 12: as model 1 says, as model 2
   * says. Empty for values.
   */
  counts: [[number, number, number][], [number, number, number][]];
  /** Of a value or probability diff: mean of what model 1 and of what model 2 says at the node. */
  means: [number, number] | null;
  /** Whether the node as a whole, with all below it, is (part of) one rule. */
  region: boolean;
}

/** One node of the joint tree. */
export interface NodeView extends SentNodeView {
  /** Numbers of the rules at or below the node. Not sent: the leaves of the rules tell it. */
  rules: number[];
}

/** One condition, of however many rules. */
export interface ConditionView {
  text: string;
  column: string;
  /** Place of the column in the table. */
  position: number;
  /** The same for pandas and for SQL; null where the language cannot say it. */
  query: string | null;
  sql: string | null;
}

/** What the models say on a part of a rule's differing rows. */
export interface OutcomeView {
  said: [string, string];
  share: number;
}

/** One diff rule. */
export interface RuleView {
  /** Its index in `rules`. */
  number: number;
  /** Id of the lowest node that holds the whole rule. */
  node: string;
  /** Nodes that lie inside as a whole; none where the rule is part of what hangs below one. */
  nodes: string[];
  /** Leaf pairs (model 1, model 2) that make up the region. */
  leaves: [string, string][];
  /** What model 1 says and what model 2 says there: classes, null for values. */
  outcomes: [number, number] | null;
  /** The same as means, for values and probabilities; null for classes. */
  values: [number, number] | null;
  /** The same in words. */
  said: [string, string];
  /** Share of its differing rows on which they say just that. */
  outcome_share: number;
  /** Of classes: the next most frequent outcomes of its differing rows. */
  others: OutcomeView[];
  /**
   * Of numbers: whether model 2 says more or less on three quarters of its differing rows, or
   * neither.
   */
  direction: Direction | null;
  /**
   * Of numbers: rows (by weight) on which model 2 says more, and less, by more than the tolerance.
   */
  up: number | null;
  down: number | null;
  /** Of classes: what either model says most often inside, also where they do not differ. */
  usual: [string, string] | null;
  /** Places in the view's conditions; none: the rule always holds. */
  conditions: number[];
  /** Those of them that the way to the rule's node asks for already. */
  shared: number[];
  /** Rows used to fit inside the rule, and those of them on which the models differ. */
  support: number;
  differing: number;
  /** differing / support, by weight where rows are weighted; null where no row lies inside. */
  rate: number | null;
  /** Share of all differing rows (used to fit) that the rule holds. */
  coverage: number;
  /** The same on rows kept aside; null where none lies inside. */
  holdout_support: number;
  holdout_differing: number;
  holdout_rate: number | null;
  /** Who is right inside, and the same on rows kept aside; null where no ground truth was given. */
  right: RightView | null;
  holdout_right: RightView | null;
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
  /** Share of rows on which the surrogate says what its model says. */
  fidelity: [number, number];
  /** Whether precision, recall, F1 and fidelity were measured on rows kept aside. */
  on_holdout: boolean;
  measured_rows: number;
  measured_differing: number;
  /** The share of them, by weight. */
  measured_disagreement: number;
  /** Those of the measured rows that lie inside a rule. */
  measured_claimed: number;
  /** Of numbers: by how much model 2 is above model 1, on average over all rows. */
  mean_difference: number | null;
}

/** What refinement has done and can still do. */
export interface RefinementView {
  /** Refinement steps done. */
  steps: number;
  /** Whether there is something shown before to go back to. */
  undoable: boolean;
  /** How many of what one more step would split. */
  impure: number;
  what: Refined;
  /** Why no further step is possible; null when it is. */
  reason: string | null;
  /** What the last step changed, in words; null at step 0. */
  change: string | null;
  /** Ids of nodes that the last step added. */
  added: string[];
  /** On a page: how many steps it holds; null where they are worked out when asked for. */
  prepared: number | null;
}

/** What a view holds beside its lists of records. */
export interface ViewParts {
  version: 4;
  /** What the user calls the two models. */
  names: [string, string];
  /** Names of the classes; everywhere else a class is its index here. Empty for other outputs. */
  classes: string[];
  outputs: OutputsView;
  options: OptionsView;
  /** Names of the table's columns. */
  columns: string[];
  headline: HeadlineView;
  metrics: MetricsView;
  /** Who is right, over all rows; null where no ground truth was given. */
  right: RightView | null;
  refinement: RefinementView;
  /** What cannot be asked for here, and why; empty where everything can. */
  lacks: Partial<Record<MessageKind, string>>;
}

/** All that a view may read of a diff; `d.to_dict()`. */
export interface DiffView extends ViewParts {
  /** Pre-order, root first, "yes" before "no", model 1 before model 2. */
  nodes: NodeView[];
  /** Each condition once; rules name them by their place here. */
  conditions: ConditionView[];
  rules: RuleView[];
}

/** A list of records by columns: one list a field, null where it is null in each of them. */
export interface Columns<T> {
  count: number;
  fields: { [F in keyof T]?: T[F][] | null };
}

/** A view as it travels, to the widget and in a page. */
export interface PackedView extends ViewParts {
  nodes: Columns<SentNodeView>;
  conditions: Columns<ConditionView>;
  rules: Columns<RuleView>;
}

/** The way of one row through both surrogates. */
export interface TraceView {
  /** Its position in the table. */
  row: number;
  /** Its index, as text. */
  label: string;
  /** Ids of all nodes the row passes, both models. */
  nodes: string[];
  /** What model 1 and what model 2 say of it, and what the tree says they do. */
  said: [string, string];
  surrogate: [string, string];
  /** Numbers of the rules that it lies in. */
  rules: number[];
  /** Do the models differ on it? */
  differs: boolean;
}

/** Some of the rows of a selection. Rows never travel in traits. */
export interface RowsView {
  total: number;
  /** Rows of the whole table that there are, where a page brings some of them along. */
  of?: number;
  start: number;
  columns: string[];
  /** How many of the columns, from the left, belong to the selection. */
  lead: number;
  /** Position of each row in the table. */
  positions: number[];
  /** The index, as text. */
  labels: string[];
  cells: string[][];
  differs: boolean[];
  /** Why there may be more rows than these, where a page brings some of them along. */
  note?: string;
}

/** Rows that travel with a page, which filters, sorts and traces them itself. */
export interface PageRows {
  /** Rows of the whole table. */
  total: number;
  /** The two outputs, perhaps the truth, then the columns of the table. */
  columns: string[];
  /** How many of these are not columns of the table. */
  lead: number;
  positions: number[];
  labels: string[];
  cells: string[][];
  /**
   * By column, then by row: its place in the order of the column's values; -1 where there is none.
   */
  ranks: number[][];
  differs: boolean[];
  /** What either model says of it, in words. */
  said: [string, string][];
  /** For each step, for each row: the leaves that it reaches. */
  leaves: [string, string][][];
  /**
   * For each step: pairs of leaves, how many rows of the whole table reach them, how many of these
   * differ.
   */
  sizes: [string, string, number, number][][];
}

/** What a page answers from. */
export interface PageContents {
  /** The views after each refinement step, and which of them is shown first. */
  steps: PackedView[];
  at: number;
  rows: PageRows | null;
}

/** Which rules are listed, and in what order. */
export interface Filters {
  text?: string;
  /** The name of a column; "" for any. */
  column?: string;
  /**
   * What the models say there: two class numbers, "0,1"; of values "higher", "lower" or "either
   * way"; "" for any.
   */
  outcome?: string;
  order?: Order;
}

/** Traits that a saved page takes along, so that it opens as the widget was left. */
export interface PageState {
  /** Id of the selected node, "" for none. */
  selected_node: string;
  /** Numbers of the selected rules. */
  selected_rules: number[];
  /** The row that is followed through both models; null for none. */
  traced: TraceView | null;
  orientation: Orientation;
  tab: Tab;
  /** Parts without a rule are folded ... */
  differences_only: boolean;
  /** ... but for what the user folded (true) or unfolded (false) by hand, by id. */
  folds: Record<string, boolean>;
  filters: Filters;
}

/** The widget's traits but for the view. */
export interface Traits extends PageState {
  theme: Theme;
  /** Pixels. */
  height: number;
}

/** All traits that travel between Python and the front-end, by name. */
export interface WidgetState extends Traits {
  view: PackedView;
}

/** Every message has an id, which its answer carries too. */
export interface Identified {
  id: string;
}

/** Is answered by a kernel that is there and free. */
export interface HelloRequest {
  kind: "hello";
}

/** Stops other work; the work that is stopped answers with an error, this does not answer. */
export interface CancelRequest {
  kind: "cancel";
  /** The id of what is not wanted any more. */
  of: string;
}

/** Asks for one refinement step. */
export interface RefineRequest {
  kind: "refine";
}

/** Takes the last step or change back. */
export interface UndoRequest {
  kind: "undo";
}

/** Asks for a page of what is shown. */
export interface SaveRequest {
  kind: "save";
}

/** Options to compare with anew; those that are left out stay. */
export interface Change {
  max_depth?: number;
  /** null: chosen for the best F1. */
  sensitivity?: number | null;
}

/** Asks for the diff with other options. */
export interface ChangeRequest {
  kind: "change";
  options: Change;
}

/** Asks for the way of a row, which arrives in the trait `traced`. */
export interface TraceRequest {
  kind: "trace";
  /** Its position in the table. */
  row: number;
}

/** What rows are sorted by. */
export interface Sort {
  /** Index into the columns of the rows. */
  column: number;
  descending: boolean;
}

/** Asks for some of the rows of a selection: the rules, else the node, else all rules. */
export interface RowsRequest {
  kind: "rows";
  rules: number[];
  /** Id of a node, "" for none. */
  node: string;
  start: number;
  count: number;
  sort: Sort | null;
  /** Only rows on which the models differ. */
  differing: boolean;
}

/** Why what was asked for was not done. */
export interface Refusal {
  error: string;
}

/** Nothing beside the id: what has changed arrives in the traits. */
export type Done = object;

/** The text of an HTML file. */
export interface SaveAnswer {
  page: string;
}

/** Some rows. */
export interface RowsAnswer {
  rows: RowsView;
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
  | RowsRequest;

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
}

export type Answer = Identified & Partial<Refusal & SaveAnswer & RowsAnswer>;

export type AnswerTo<K extends MessageKind> = Answer & Answers[K];

/** Work that a button of the toolbar asks for, which shows that it is under way. */
export type ButtonWork = "refine" | "undo" | "change" | "save";

/** Work that leaves another state of the traits behind. */
export const CHANGING: readonly MessageKind[] = ["refine", "undo", "change", "trace"];
