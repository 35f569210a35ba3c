// What a view may read. The same names as the TypedDicts of src/imd_widget/views/schema.py;
// tests/golden/quickstart.json is written by pytest and read by vitest, so neither can drift alone.

/** Which model a node belongs to: 0 both (shared), 1 the first, 2 the second. */
export type Side = 0 | 1 | 2;

export interface DiffView {
  version: 4;
  /** What the user calls the two models. */
  names: [string, string];
  outputs: OutputsView;
  /** Names of the classes; everywhere else a class is its index here. Empty for other outputs. */
  classes: string[];
  /** Who is right, over all rows; null where no ground truth was given. */
  right: RightView | null;
  headline: HeadlineView;
  /** Pre-order, root first, "yes" before "no", model 1 before model 2. */
  nodes: NodeView[];
  /** Each condition once; rules name them by their place here, until they are unpacked. */
  conditions?: unknown;
  rules: RuleView[];
  metrics: MetricsView;
  refinement: RefinementView;
  options: OptionsView;
  /** Names of the table's columns. */
  columns: string[];
  /** What cannot be asked for here, and why; empty where everything can. */
  lacks: Partial<Record<Work["kind"], string>>;
}

/** What can be changed from the toolbar. */
export interface OptionsView {
  max_depth: number;
  /** null: chosen for the best F1. */
  sensitivity: number | null;
  /** Whether sensitivity has a meaning. */
  tunable: boolean;
}

export interface OutputsView {
  kind: "class" | "proba" | "value";
  /** What the two models speak of: "class", "probability of malignant", "value". */
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

/** Counts of rows; sums of weights, so perhaps not whole, where rows are weighted. */
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

export interface HeadlineView {
  /** Sentences in reading order; together with the notes they are `d.summary()`. */
  sentences: string[];
  /** "good": the rules explain the differences; "weak": they explain few; "none": nothing to explain. */
  tone: "good" | "weak" | "none";
  /** What else is to be known: who is right, how far apart values are. */
  notes: string[];
}

export interface NodeView {
  /** A path: stable through refinement. "r" root, then "y" / "n" for yes / no, "1" / "2" below an or-node. */
  id: string;
  parent: string | null;
  kind: "split" | "or" | "leaf";
  side: Side;
  /** How the node hangs on its parent; null for the root. */
  edge: "yes" | "no" | "model1" | "model2" | null;
  /** Number of conditions above the node. */
  depth: number;
  /** Of a split, in words: "age < 42". Rows for which it holds go to the "yes" child. */
  condition: string | null;
  /** Of a leaf of a class diff: the class that its model says there. */
  label: number | null;
  /** Of a leaf: what its model says there, in words: a class name, "0.31", "310k". */
  said: string | null;
  /** Of a leaf of a value or probability diff: the mean of what its model says. */
  value: number | null;
  /** Of a leaf of a class diff: share of its rows to which its model gives the label. */
  purity: number | null;
  /** Of an impure leaf of a value or probability diff: "± 12k"; null where all values are near the mean. */
  spread: string | null;
  /** Rows used to fit that reach the node, and those of them on which the models differ. */
  rows: number;
  differing: number;
  /** The share that differs, by weight where rows have weights; null where no row is. */
  rate: number | null;
  /** [class, rows, share by weight], most frequent first, at most 12: as model 1 says, as model 2 says. Empty for values. */
  counts: [[number, number, number][], [number, number, number][]];
  /** Of a value or probability diff: mean of what model 1 and of what model 2 says at the node. */
  means: [number, number] | null;
  /** Numbers of the rules at or below the node. */
  rules: number[];
  /** Whether the node as a whole, with all below it, is (part of) one rule. */
  region: boolean;
  /** Of a split: the column that it asks about, and its place in the table: names may stand for several. */
  column: string | null;
  position: number | null;
  /** Of a split: how that column is spread over the rows of the node. */
  bars: BarsView | null;
}

/** A histogram; every list has one entry a bar. */
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
  others: { said: [string, string]; share: number }[];
  /** Of numbers: whether model 2 says more or less on three quarters of its differing rows, or neither. */
  direction: "up" | "down" | "either" | null;
  /** Of numbers: rows (by weight) on which model 2 says more, and less, by more than the tolerance. */
  up: number | null;
  down: number | null;
  /** Of classes: what either model says most often inside, also where they do not differ. */
  usual: [string, string] | null;
  /** Empty: the rule always holds. `shared`: asked for on the way to the rule's node already. */
  conditions: (ConditionView & { shared: boolean })[];
  /** As it travels: places of those that are shared. */
  shared?: number[];
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

export interface ConditionView {
  text: string;
  column: string;
  /** Place of the column in the table. */
  position: number;
  /** The same for pandas and for SQL; null where the language cannot say it. */
  query: string | null;
  sql: string | null;
}

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

export interface RefinementView {
  /** Refinement steps done. */
  steps: number;
  /** Whether there is something shown before to go back to. */
  undoable: boolean;
  /** How many of what one more step would split. */
  impure: number;
  what: "leaf" | "region";
  /** Why no further step is possible; null when it is. */
  reason: string | null;
  /** What the last step changed, in words; null at step 0. */
  change: string | null;
  /** Ids of nodes that the last step added. */
  added: string[];
  /** On a page: how many steps it holds; null where they are worked out when asked for. */
  prepared: number | null;
}

/** State that travels between Python and the front-end, by trait name. */
export interface WidgetState {
  view: DiffView;
  /** Id of the selected node, "" for none. */
  selected_node: string;
  /** Numbers of the selected rules. */
  selected_rules: number[];
  /** "auto" follows the host. */
  theme: "auto" | "light" | "dark";
  /** Pixels. */
  height: number;
  /** The row that is followed through both models; null for none. */
  traced: TraceView | null;
  tab: Tab;
  /** Where the tree grows to. */
  orientation: "right" | "down";
  /** Parts without a rule are folded ... */
  differences_only: boolean;
  /** ... but for what the user folded (true) or unfolded (false) by hand, by id. */
  folds: Record<string, boolean>;
  filters: Partial<Filter>;
}

export type Tab = "Rules" | "Rows" | "Node";

/** Which rules are listed, and in what order. */
export interface Filter {
  order: "coverage" | "rows" | "rate";
  text: string;
  /** "" for any. */
  column: string;
  /** Key of what the models say there (see `outcomeKey`), "" for any. */
  outcome: string;
}

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

/** One page of the rows of a selection. Rows never travel in traits. */
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
  /** Why there may be more rows than these. */
  note?: string;
}

export interface Sort {
  /** Index into the columns of the page. */
  column: number;
  descending: boolean;
}

export type Change = Partial<Pick<OptionsView, "max_depth" | "sensitivity">>;

/** Work that the front-end asks of Python ... */
export type Work =
  /** Answered by a kernel that is there and free. */
  | { kind: "hello" }
  /** `of`: the id of what is not wanted any more. */
  | { kind: "cancel"; of: string }
  | { kind: "refine" }
  | { kind: "undo" }
  | { kind: "save" }
  | { kind: "change"; options: Change }
  | { kind: "trace"; row: number }
  | {
      kind: "rows";
      rules: number[];
      node: string;
      start: number;
      count: number;
      sort: Sort | null;
      differing: boolean;
    };

/** ... under an id, which the answer carries too. */
export type Request = Work & { id: string };

export interface Answer {
  id: string;
  /** Absent when the work was done: what changed arrives in the traits ... */
  error?: string;
  /** ... but for a page of rows, and a page to save. */
  rows?: RowsView;
  page?: string;
}

/** What comes back, by kind of work. */
export type AnswerTo<K extends Work["kind"]> = K extends "rows"
  ? Answer & { rows: RowsView }
  : K extends "save"
    ? Answer & { page: string }
    : Answer;
