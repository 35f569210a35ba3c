// Answers of the kernel about why the models differ.

import type {
  ContributionsView,
  ContributionView,
  CurveView,
  IceView,
  InteractionsView,
  MapView,
  PointView,
  Trace,
  TreeView,
  WhatIfNot,
  WhatIfView,
  WhyView,
} from "../../../js/protocol/types";

export const point = (
  text: string,
  number: number | null,
  first: number,
  second: number,
): PointView => ({
  text,
  number,
  first,
  second,
  difference: first - second,
  spread: [0.1, 0.1, 0.1],
  support: 0.25,
});

export const AGE: CurveView = {
  column: "age",
  position: 0,
  ordered: true,
  moves: 0.3,
  apart: 0.4,
  rows: 300,
  interval: { text: "age < 40", low: null, high: 40 },
  points: [
    point("20", 20, 0.1, 0.1),
    point("30", 30, 0.1, 0.5),
    point("40", 40, 0.1, 0.9),
    point("missing", null, 0.2, 0.4),
  ],
};
export const JOB: CurveView = {
  ...AGE,
  column: "<b>job</b>",
  position: 2,
  ordered: false,
  interval: null,
  points: [point("clerk", null, 0.2, 0.4), point("nurse", null, 0.6, 0.5)],
};
const contribution = (
  column: string,
  position: number | null,
  first: number,
  second: number,
  error: number | null = 0.01,
): ContributionView => ({
  column,
  position,
  first,
  second,
  difference: first - second,
  error,
  text: (first - second).toFixed(2),
  error_text: error === null ? null : error.toFixed(2),
  value: null,
  size: [Math.abs(first), Math.abs(second), Math.abs(first - second)],
  printed: [first, second, first - second],
});
/** Base 0.3 and 0.4, levels 0.1 and 0.9: -0.8 = -0.1 - 0.6 - 0.2 + 0.05 + 0.05. */
export const CONTRIBUTIONS: ContributionsView = {
  averages_out: false,
  base: [0.3, 0.4],
  level: [0.1, 0.9],
  level_texts: ["0.10", "0.90"],
  gap: -0.8,
  base_gap: -0.1,
  gap_text: "-0.80",
  base_text: "-0.10",
  columns: [
    contribution("age", 0, -0.1, 0.5),
    contribution("<b>job</b>", 2, -0.2, 0, 0.02),
    contribution("pay", 1, 0.05, 0, 0.004),
  ],
  others: contribution("18 other columns", null, 0.05, 0, null),
  sentence: "LR gives a probability of yes that is 0.80 lower than RF's.",
  total: "-0.80 = -0.60 from age - 0.10 on average.",
  unused: ["RF does not use <b>job</b>."],
  rows: 100,
  of_rows: 1234,
  asked: 24000,
  note: "Mean over 100 of 1,234 rows.",
  decimals: 2,
  printed_base: [0.3, 0.4, -0.1],
  printed_level: [0.1, 0.9, -0.8],
};
/** The same of more columns than are shown at first. */
export const MANY: ContributionsView = {
  ...CONTRIBUTIONS,
  columns: [
    ...CONTRIBUTIONS.columns,
    ...[4, 5, 6, 7, 8].map((at) => contribution(`c${at}`, at, 0, 0)),
  ],
};
export const CONDITIONS: WhatIfNot[] = [
  {
    column: "age",
    position: 0,
    text: "age < 40",
    curve: AGE,
    inside: [true, true, false, false],
    at: 2,
    gap: -0.8,
    gap_there: -0.7,
    sentence: "If age were 40, the gap would be -0.70 instead of -0.80.",
  },
  {
    column: "<b>job</b>",
    position: 2,
    text: "job is clerk",
    curve: JOB,
    inside: [true, false],
    at: 1,
    gap: -0.8,
    gap_there: 0.1,
    sentence: "If <b>job</b> were nurse, the gap would be 0.10 instead of -0.80.",
  },
] as WhatIfNot[];
export const WHY: WhyView = {
  text: "age < 40",
  what: "probability of yes",
  note: null,
  tolerance: 0.2,
  rows: 1234,
  cannot: null,
  lacking: null,
  curves: [AGE, JOB],
  waiting: ["pay", "town"],
  ice: [],
  row: null,
  fidelity: [],
  importance: null,
  trees: null,
  contributions: CONTRIBUTIONS,
  conditions: CONDITIONS,
  row_contributions: null,
  imitation: null,
};
export const TREE: TreeView = {
  name: "the difference",
  what: "probability of yes",
  rmse: 0.1234,
  r2: 0.1,
  n_fit: 90,
  n_aside: 30,
  fidelity: "RMSE 0.123",
  rules: [],
  nodes: [
    { question: "age < 40", yes: 1, no: 2, depth: 0, rows: 90, value: 0.2, text: "0.20" },
    { question: null, yes: null, no: null, depth: 1, rows: 60, value: 0.1, text: "0.10" },
    { question: null, yes: null, no: null, depth: 1, rows: 30, value: 0.4, text: "0.40" },
  ],
};
export const WITH_SURROGATES: WhyView = {
  ...WHY,
  importance: [
    { column: "age", forest: [0.2, 0.3, 0.9], loco: [0.1, 0.1, 0.2] },
    { column: "job", forest: [0.8, 0.7, 0.1], loco: [0.4, 0.3, 0] },
  ],
  trees: [{ ...TREE, name: "LR" }, { ...TREE, name: "RF" }, TREE],
  fidelity: [
    {
      technique: "decision tree",
      r2: [1, 1, 0.1],
      rmse: [0, 0, 0],
      text: "D.",
      warning: "Careful.",
    },
    { technique: "random forest", r2: [1, 1, 0.8], rmse: [0, 0, 0], text: "F.", warning: null },
  ],
};
export const ICE: IceView = {
  column: "age",
  position: 0,
  value: "30",
  first: [0, 0, 0, 0],
  second: [1, 1, 1, 1],
  difference: [-1, -1, -1, -1],
  outside: [true, true, true],
  text: "LR: 0 for row 7, outside one standard deviation.",
};
export const WITH_ROW: WhyView = {
  ...WHY,
  ice: [ICE],
  row: {
    row: 7,
    scores: [0.31, 0.55],
    score_texts: ["0.31", "0.55"],
    cluster: 0,
    klime_baseline: [0.1, 0.2, -0.1],
    klime_predicted: [0.3, 0.5, -0.2],
    loco_baseline: [0.1, 0.2, -0.1],
    loco_predicted: [0.3, 0.5, -0.2],
    reasons: [
      { column: "age", value: "30", klime: [0.22, -0.11, 0.33], loco: [0.01, 0.02, -0.01] },
      { column: "pay", value: "9", klime: [1e-18, 0.05, 0.05], loco: [0.4, 0.1, 0.3] },
    ],
    text: "LR gives 0.31: +0.22 from age.",
  },
  fidelity: [
    { technique: "random forest", r2: [1, 1, 0.8], rmse: [0, 0, 0], text: "forest", warning: null },
    { technique: "K-LIME", r2: [1, 1, 0.1], rmse: [0, 0, 0], text: "0.10", warning: "Careful." },
  ],
};
export const traced = (rules: number[]): Trace => ({
  row: 7,
  label: "seven",
  nodes: ["r"],
  said: ["a", "b"],
  surrogate: ["a", "b"],
  rules,
  differs: true,
});

const field = (
  column: string,
  position: number,
  original: string,
  kind: WhatIfView["fields"][0]["kind"],
  choices: string[] = [],
): WhatIfView["fields"][0] => ({
  column,
  position,
  original,
  value: original,
  changed: false,
  kind,
  choices,
  low: kind === "number" ? 18 : null,
  high: kind === "number" ? 80 : null,
});
/** What both models give for row 7 as it is. */
export const ROW: WhatIfView = {
  row: 7,
  label: "seven",
  fields: [
    field("pay", 1, "9", "number"),
    field("age", 0, "30", "number"),
    field("<b>job</b>", 2, "clerk", "choice", ["clerk", "nurse"]),
    field("born", 3, "1990-01-01", "fixed"),
    field("town", 4, "Rome", "text", ["Rome", "Oslo"]),
    field("c5", 5, "1", "number"),
    field("c6", 6, "1", "number"),
    field("c7", 7, "1", "number"),
  ],
  said_before: ["no", "yes"],
  said: ["no", "yes"],
  what: "probability of yes",
  scores_before: [0.1, 0.9],
  scores: [0.1, 0.9],
  score_texts_before: ["0.10", "0.90"],
  score_texts: ["0.10", "0.90"],
  differs_before: true,
  differs: true,
  nodes: ["r"],
  rules: [0],
  contributions: {
    ...CONTRIBUTIONS,
    columns: CONTRIBUTIONS.columns.map((one) => ({ ...one, value: "30" })),
    sentence: "LR gives 0.80 less for this row.",
  },
  text: "",
};
/** The same after age was set to 40. */
export const EDITED: WhatIfView = {
  ...ROW,
  fields: ROW.fields.map((one) =>
    one.position === 0 ? { ...one, value: "40", changed: true } : one,
  ),
  said: ["yes", "yes"],
  score_texts: ["0.70", "0.90"],
  differs: false,
  text: "With age 40, LR gives 0.70 instead of 0.10. The models agree.",
};
export const PAIRS: InteractionsView = {
  pairs: [
    {
      columns: ["age", "<b>job</b>"],
      positions: [0, 2],
      strength: 0.2,
      first: 0.2,
      second: 0,
      error: 0.013,
      text: "",
    },
    {
      columns: ["age", "pay"],
      positions: [0, 1],
      strength: 0.1,
      first: 0,
      second: 0.1,
      error: 0.01,
      text: "",
    },
  ],
  asked: 100,
  note: "Mean absolute interaction.",
};
export const MAP: MapView = {
  x: {
    column: "age",
    position: 0,
    ordered: true,
    texts: ["20", "30", "missing"],
    numbers: [20, 30, null],
    inside: [true, false, false],
  },
  y: {
    column: "<b>job</b>",
    position: 2,
    ordered: false,
    texts: ["clerk", "nurse"],
    numbers: [null, null],
    inside: [true, true],
  },
  first: [
    [0.1, 0.2, 0.3],
    [0.4, 0.5, 0.6],
  ],
  second: [
    [0.1, 0.4, 0.2],
    [0.9, 0.4, 0.6],
  ],
  difference: [
    [0, -0.2, 0.1],
    [-0.5, 0.1, 0],
  ],
  support: [
    [0.4, 0.1, 0],
    [0.3, 0.1, 0.1],
  ],
  rows: 100,
  text: "The gap is largest where age is 20.",
};
