// What a view may read. The same names as the TypedDicts of src/imd_widget/viewmodel.py;
// tests/golden/quickstart.json is written by pytest and read by vitest, so neither can drift alone.

/** Which model a node belongs to: 0 both (shared), 1 the first, 2 the second. */
export type Side = 0 | 1 | 2;

export interface DiffView {
  version: 1;
  /** What the user calls the two models. */
  names: [string, string];
  /** Names of the outputs; everywhere else an output is its index here. */
  classes: string[];
  headline: HeadlineView;
  /** Pre-order, root first, "yes" before "no", model 1 before model 2. */
  nodes: NodeView[];
  rules: RuleView[];
  metrics: MetricsView;
  refinement: RefinementView;
}

export interface HeadlineView {
  /** Sentences in reading order; together they are `d.summary()`. */
  sentences: string[];
  /** "good": the rules explain the differences; "weak": they explain few; "none": nothing to explain. */
  tone: "good" | "weak" | "none";
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
  /** Of a leaf: what its model says there. */
  label: number | null;
  /** Rows used to fit that reach the node, and those of them on which the models differ. */
  rows: number;
  differing: number;
  /** Rows by output: as model 1 says, as model 2 says. */
  counts: [number[], number[]];
  /** Numbers of the rules at or below the node. */
  rules: number[];
  /** Whether the node as a whole, with all below it, is (part of) one rule. */
  region: boolean;
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
  /** What model 1 says and what model 2 says there. */
  outcomes: [number, number];
  /** Share of its differing rows on which they say just that. */
  outcome_share: number;
  /** Empty: the rule always holds. */
  conditions: ConditionView[];
  /** Rows used to fit inside the rule, and those of them on which the models differ. */
  support: number;
  differing: number;
  /** differing / support; null where no row lies inside. */
  rate: number | null;
  /** Share of all differing rows (used to fit) that the rule holds. */
  coverage: number;
  /** The same on rows kept aside; null where none lies inside. */
  holdout_support: number;
  holdout_differing: number;
  holdout_rate: number | null;
  text: string;
  /** null where the language cannot name one of the columns. */
  query: string | null;
  sql: string | null;
}

export interface ConditionView {
  text: string;
  column: string;
  /** Asked for on the way to the rule's node already (so: shared with its neighbours). */
  shared: boolean;
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
}

export interface RefinementView {
  /** Refinement steps done; undo is possible when more than 0. */
  steps: number;
  /** How many of what one more step would split. */
  impure: number;
  what: "leaf" | "region";
  /** Why no further step is possible; null when it is. */
  reason: string | null;
  /** What the last step changed, in words; null at step 0. */
  change: string | null;
  /** Ids of nodes that the last step added. */
  added: string[];
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
}

/** Work that the front-end asks of Python; the answer carries the same id. */
export interface Request {
  id: string;
  kind: "refine" | "undo";
}

export interface Answer {
  id: string;
  /** Absent when the work was done: what changed arrives in the traits. */
  error?: string;
}
