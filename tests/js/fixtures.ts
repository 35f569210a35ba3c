// Views made as Python makes them: rows drawn by a seeded generator, two models that answer every row, a tree
// whose figures are counted on those rows. So each number agrees with every other one.

import type {
  BarsView,
  DiffView,
  NodeView,
  OutputsView,
  RightView,
  RuleView,
  WidgetState,
} from "../../js/protocol/types";

/** A column and a threshold: rows with a smaller value go to "yes". */
type Cut = [column: string, threshold: number];
/** `label` is a class, or a value that single rows may miss by `spread`. */
export type Branch =
  | { label: number; purity?: number; spread?: number }
  | { cut: Cut; yes: Branch; no: Branch };
export type Shared = { or: [Branch, Branch] } | { cut: Cut; yes: Shared; no: Shared };

export interface Recipe {
  names: [string, string];
  classes: string[];
  columns: string[];
  rows: number;
  tree: Shared;
  /** Columns are uniform on 0..1; shown values are stretched to this range. */
  scale?: Map<string, [number, number]>;
  maxRules?: number;
  /** Otherwise only pairs that hold a row become rules. */
  emptyRules?: boolean;
  /** Otherwise the models give classes. */
  numbers?: Numbers;
  /** What is right; null where it is not known. */
  truth?: (values: ReadonlyMap<string, number>) => number | null;
}

interface Numbers {
  kind: "proba" | "value";
  what: string;
  low: number;
  high: number;
  /** Rows differ when more than this apart; a leaf is impure when its values spread further than a tenth of it. */
  apart: number;
  text: (value: number) => string;
}

interface Row {
  values: Map<string, number>;
  noise: [number, number, number];
  said: [number, number];
}

/** mulberry32: small, seeded, the same everywhere. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function answer(branch: Branch, row: Row, side: 0 | 1, classes: number): number {
  if ("cut" in branch)
    return answer(
      (row.values.get(branch.cut[0]) ?? 0) < branch.cut[1] ? branch.yes : branch.no,
      row,
      side,
      classes,
    );
  const noise = row.noise[side] ?? 0;
  if (branch.spread !== undefined) return branch.label + branch.spread * (2 * noise - 1);
  if (noise < (branch.purity ?? 1)) return branch.label;
  return (branch.label + 1 + Math.floor((row.noise[2] ?? 0) * (classes - 1))) % classes;
}

function settle(tree: Shared, row: Row, classes: number): void {
  if ("cut" in tree)
    settle((row.values.get(tree.cut[0]) ?? 0) < tree.cut[1] ? tree.yes : tree.no, row, classes);
  else row.said = [answer(tree.or[0], row, 0, classes), answer(tree.or[1], row, 1, classes)];
}

const meanOf = (values: number[]) => values.reduce((sum, v) => sum + v, 0) / (values.length || 1);

/** [label, rows, share], most frequent first, at most 12: as Python counts. */
function tallyOf(said: number[]): [number, number, number][] {
  const found = new Map<number, number>();
  for (const label of said) found.set(label, (found.get(label) ?? 0) + 1);
  const most = [...found].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 12);
  return most.map(([label, rows]) => [label, rows, rows / said.length]);
}

const CLASSES: OutputsView = {
  kind: "class",
  what: "class",
  differs: null,
  low: null,
  high: null,
  low_text: null,
  high_text: null,
  weighted: false,
};

function outputsOf(numbers: Numbers | undefined): OutputsView {
  if (!numbers) return CLASSES;
  const { kind, what, low, high, apart, text } = numbers;
  const differs = `more than ${text(apart)} apart`;
  const ends = { low, high, low_text: text(low), high_text: text(high) };
  return { kind, what, differs, ...ends, weighted: false };
}

export function makeView(recipe: Recipe): DiffView {
  const { numbers } = recipe;
  const next = random(7);
  const rows: Row[] = Array.from({ length: recipe.rows }, () => ({
    values: new Map(recipe.columns.map((column) => [column, next()])),
    noise: [next(), next(), next()],
    said: [0, 0],
  }));
  for (const row of rows) settle(recipe.tree, row, recipe.classes.length);
  const isFar = (a: number, b: number) => (numbers ? Math.abs(a - b) > numbers.apart : a !== b);
  const differs = (row: Row) => isFar(row.said[0], row.said[1]);
  const inWords = (said: number) => (numbers ? numbers.text(said) : (recipe.classes[said] ?? ""));
  const rightOf = (here: Row[]): RightView | null => {
    if (!recipe.truth) return null;
    const right: RightView = { both: 0, first: 0, second: 0, neither: 0, unknown: 0, errors: null };
    for (const row of here) {
      const truth = recipe.truth(row.values);
      if (truth === null) right.unknown += 1;
      else {
        const [one, two] = row.said.map((said) => !isFar(said, truth));
        right[one ? (two ? "both" : "first") : two ? "second" : "neither"] += 1;
      }
    }
    return right;
  };
  /** What a leaf says: the commonest class, or the mean. */
  const sayingOf = (here: Row[], side: 1 | 2, meant: number) => {
    const all = here.map((row) => row.said[side - 1] as number);
    if (numbers) {
      const value = all.length > 0 ? meanOf(all) : meant;
      const off = Math.sqrt(meanOf(all.map((said) => (said - value) ** 2)));
      const spread = off > numbers.apart / 10 ? `± ${numbers.text(off)}` : null;
      return { at: value, fields: { value, spread, said: inWords(value) } };
    }
    const [label, rows] = tallyOf(all)[0] ?? [meant, 0];
    const purity = all.length > 0 ? rows / all.length : 1;
    return { at: label, fields: { label, purity, said: inWords(label) } };
  };
  const total = rows.filter(differs).length;

  const nodes: NodeView[] = [];
  const rules: RuleView[] = [];
  const shown = ([column, at]: Cut) => {
    const [low, high] = recipe.scale?.get(column) ?? [0, 1];
    return String(Number((low + at * (high - low)).toPrecision(4)));
  };
  const words = (cut: Cut, yes: boolean) => `${cut[0]} ${yes ? "<" : "≥"} ${shown(cut)}`;
  /** Bars a tenth wide, but for the threshold, where one ends and the next begins. */
  const barsOf = (cut: Cut, here: Row[]): BarsView => {
    const tenths = Array.from({ length: 11 }, (_, i) => i / 10);
    const edges = [...new Set([...tenths, cut[1]])].sort((a, b) => a - b);
    const counts = (wanted: boolean) =>
      edges.slice(1).map((edge, i) => {
        const inside = here.filter((row) => {
          const value = row.values.get(cut[0]) ?? 0;
          return value >= (edges[i] ?? 0) && value < edge;
        });
        return inside.filter((row) => differs(row) === wanted).length;
      });
    const ends = { low: shown([cut[0], 0]), high: shown([cut[0], 1]) };
    const both = { same: counts(false), differ: counts(true) };
    return { ...ends, cut: edges.indexOf(cut[1]), labels: null, ...both, missing: null };
  };
  const asking = (cut: Cut, here: Row[]) => ({
    condition: words(cut, true),
    column: cut[0],
    position: recipe.columns.indexOf(cut[0]),
    bars: barsOf(cut, here),
  });
  const conditionOf = (cut: Cut, yes: boolean, shared: boolean): RuleView["conditions"][0] => {
    const text = words(cut, yes);
    const query = `(${text.replace("≥", ">=")})`;
    const position = recipe.columns.indexOf(cut[0]);
    return { text, column: cut[0], position, query, sql: query, shared };
  };
  const holds = (cut: Cut, yes: boolean) => (row: Row) =>
    (row.values.get(cut[0]) ?? 0) < cut[1] === yes;

  const add = (
    id: string,
    parent: string | null,
    here: Row[],
    fields: Pick<NodeView, "kind" | "side" | "edge" | "depth"> & Partial<NodeView>,
  ): NodeView => {
    const said = (side: 0 | 1) => here.map((row) => row.said[side]);
    const node: NodeView = {
      id,
      parent,
      condition: null,
      label: null,
      said: null,
      value: null,
      purity: null,
      spread: null,
      rows: here.length,
      differing: here.filter(differs).length,
      rate: here.length > 0 ? here.filter(differs).length / here.length : null,
      counts: numbers ? [[], []] : [tallyOf(said(0)), tallyOf(said(1))],
      means: numbers ? [meanOf(said(0)), meanOf(said(1))] : null,
      rules: [],
      region: false,
      column: null,
      position: null,
      bars: null,
      ...fields,
    };
    nodes.push(node);
    return node;
  };

  interface LeafAt {
    id: string;
    at: number;
    rows: Set<Row>;
    conditions: RuleView["conditions"];
  }
  const growBranch = (
    branch: Branch,
    id: string,
    parent: string,
    here: Row[],
    side: 1 | 2,
    edge: NodeView["edge"],
    depth: number,
    conditions: RuleView["conditions"],
  ): LeafAt[] => {
    if (!("cut" in branch)) {
      const { at, fields } = sayingOf(here, side, branch.label);
      add(id, parent, here, { kind: "leaf", side, edge, depth, ...fields });
      return [{ id, at, rows: new Set(here), conditions }];
    }
    const { cut } = branch;
    add(id, parent, here, { kind: "split", side, edge, depth, ...asking(cut, here) });
    return (["yes", "no"] as const).flatMap((word) => {
      const yes = word === "yes";
      const kept = [...conditions, conditionOf(cut, yes, false)];
      return growBranch(
        branch[word],
        id + word[0],
        id,
        here.filter(holds(cut, yes)),
        side,
        word,
        depth + 1,
        kept,
      );
    });
  };
  const grow = (
    tree: Shared,
    id: string,
    parent: string | null,
    here: Row[],
    edge: NodeView["edge"],
    depth: number,
    conditions: RuleView["conditions"],
  ): void => {
    if ("cut" in tree) {
      const { cut } = tree;
      add(id, parent, here, { kind: "split", side: 0, edge, depth, ...asking(cut, here) });
      for (const word of ["yes", "no"] as const) {
        const yes = word === "yes";
        const kept = [...conditions, conditionOf(cut, yes, true)];
        grow(tree[word], id + word[0], id, here.filter(holds(cut, yes)), word, depth + 1, kept);
      }
      return;
    }
    add(id, parent, here, { kind: "or", side: 0, edge, depth });
    const leaves = ([1, 2] as const).map((side) =>
      growBranch(tree.or[side - 1] as Branch, id + side, id, here, side, `model${side}`, depth, []),
    ) as [LeafAt[], LeafAt[]];
    for (const one of leaves[0])
      for (const two of leaves[1]) {
        if (!isFar(one.at, two.at)) continue;
        if (rules.length >= (recipe.maxRules ?? Infinity)) continue;
        const inside = here.filter((row) => one.rows.has(row) && two.rows.has(row));
        if (inside.length === 0 && !recipe.emptyRules) continue;
        const all = [...conditions, ...one.conditions, ...two.conditions];
        const differing = inside.filter(differs).length;
        const values: [number, number] = [
          meanOf(inside.map((row) => row.said[0])),
          meanOf(inside.map((row) => row.said[1])),
        ];
        const outcomes: [number, number] = [one.at, two.at];
        const [first, second] = numbers ? values : outcomes;
        const said: [string, string] = [inWords(first), inWords(second)];
        const aside = Math.round(inside.length * 0.4);
        const asideDiffering = Math.round(differing * 0.36);
        rules.push({
          number: rules.length,
          node: id,
          leaves: [[one.id, two.id]],
          outcomes: numbers ? null : outcomes,
          values: numbers ? values : null,
          said,
          outcome_share: 1,
          others: [],
          direction: numbers ? (values[1] > values[0] ? "up" : "down") : null,
          up: numbers ? inside.filter((row) => row.said[1] > row.said[0]).length : null,
          down: numbers ? inside.filter((row) => row.said[1] < row.said[0]).length : null,
          usual: null,
          nodes: [],
          conditions: all,
          support: inside.length,
          differing,
          rate: inside.length > 0 ? differing / inside.length : null,
          coverage: total > 0 ? differing / total : 0,
          holdout_support: aside,
          holdout_differing: Math.min(aside, asideDiffering),
          holdout_rate: aside > 0 ? Math.min(aside, asideDiffering) / aside : null,
          right: rightOf(inside),
          holdout_right: rightOf(inside.slice(0, aside)),
        });
      }
  };
  grow(recipe.tree, "r", null, rows, null, 0, []);

  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const rule of rules) {
    const touched = new Set<string>();
    for (const leaf of rule.leaves.flat())
      for (let at: string | null = leaf; at !== null; at = byId.get(at)?.parent ?? null)
        touched.add(at);
    for (const id of touched) byId.get(id)?.rules.push(rule.number);
  }

  const covered = rules.reduce((sum, rule) => sum + rule.differing, 0);
  const support = rules.reduce((sum, rule) => sum + rule.support, 0);
  const recall = total > 0 ? covered / total : 0;
  const precision = support > 0 ? covered / support : 0;
  const share = (value: number) => `${Math.round(1000 * value) / 10} %`;
  const [one, two] = recipe.names;
  return {
    version: 4,
    names: recipe.names,
    outputs: outputsOf(numbers),
    classes: numbers ? [] : recipe.classes,
    right: rightOf(rows),
    headline: {
      sentences:
        total === 0
          ? ["The two models agree on every row."]
          : [
              `${one} and ${two} disagree on ${total} of ${rows.length} rows (${share(total / rows.length)}).`,
              `${rules.length} rules cover ${share(recall)} of that; ${share(precision)} of the rows they cover really differ.`,
              `Measured on ${Math.round(rows.length / 4)} rows kept aside.`,
            ],
      tone: total === 0 ? "none" : precision < 0.5 || recall < 0.5 ? "weak" : "good",
      notes: [],
    },
    nodes,
    rules,
    metrics: {
      n_rows: rows.length,
      n_differing: total,
      disagreement: total / rows.length,
      precision,
      recall,
      f1: precision + recall > 0 ? (2 * precision * recall) / (precision + recall) : 0,
      n_rules: rules.length,
      n_predicates: new Set(rules.flatMap((rule) => rule.conditions.map((c) => c.text))).size,
      fidelity: [0.95, 0.93],
      on_holdout: true,
      measured_rows: Math.round(rows.length / 4),
      measured_differing: Math.round(total / 4),
      measured_disagreement: total / rows.length,
      mean_difference: null,
      measured_claimed: Math.round(rows.length / 8),
    },
    refinement: {
      steps: 0,
      undoable: false,
      impure: 3,
      what: "leaf",
      reason: null,
      change: null,
      added: [],
      prepared: null,
    },
    lacks: {},
    options: { max_depth: 6, sensitivity: null, tunable: true },
    columns: recipe.columns,
  };
}

const leaf = (label: number, purity = 1): Branch => ({ label, purity });

const near = (label: number, spread = 0): Branch => ({ label, spread });

/** Logistic regression against a random forest on breast cancer: six levels, shared and separate splits. */
export function breastCancer(truth?: Recipe["truth"]): DiffView {
  const scale = new Map<string, [number, number]>([
    ["worst perimeter", [50, 250]],
    ["worst concave points", [0, 0.3]],
    ["worst texture", [12, 50]],
    ["mean concavity", [0, 0.43]],
    ["area error", [6, 540]],
    ["worst smoothness", [0.07, 0.22]],
  ]);
  return makeView({
    names: ["LR", "RF"],
    classes: ["benign", "malignant"],
    columns: [...scale.keys()],
    rows: 569,
    scale,
    truth,
    tree: {
      cut: ["worst perimeter", 0.6],
      yes: {
        cut: ["worst concave points", 0.55],
        yes: {
          cut: ["worst texture", 0.85],
          yes: { or: [leaf(0), leaf(0)] },
          no: { or: [leaf(1, 0.8), leaf(0, 0.95)] },
        },
        no: {
          cut: ["area error", 0.3],
          yes: { or: [leaf(0, 0.98), leaf(0, 0.97)] },
          no: {
            or: [
              {
                cut: ["worst texture", 0.4],
                yes: leaf(0),
                no: { cut: ["worst smoothness", 0.6], yes: leaf(1, 0.9), no: leaf(0) },
              },
              { cut: ["mean concavity", 0.25], yes: leaf(0, 0.96), no: leaf(1) },
            ],
          },
        },
      },
      no: {
        cut: ["mean concavity", 0.2],
        yes: { or: [{ cut: ["worst texture", 0.5], yes: leaf(0, 0.93), no: leaf(1) }, leaf(1)] },
        no: { or: [leaf(1), leaf(1)] },
      },
    },
  });
}

/** One or-node with two leaves below one question. */
export function small(): DiffView {
  return makeView({
    names: ["old", "new"],
    classes: ["no", "yes"],
    columns: ["age", "hours per week"],
    rows: 400,
    scale: new Map([["age", [18, 90]]]),
    tree: {
      cut: ["age", 0.33],
      yes: { or: [leaf(0), leaf(0)] },
      no: { or: [leaf(1, 0.9), leaf(0, 0.95)] },
    },
  });
}

export function threeClasses(): DiffView {
  return makeView({
    names: ["boosting", "naive Bayes"],
    classes: ["setosa", "versicolor", "virginica"],
    columns: ["petal length", "petal width", "sepal width"],
    rows: 900,
    tree: {
      cut: ["petal length", 0.35],
      yes: { or: [leaf(0), leaf(0)] },
      no: {
        cut: ["petal width", 0.6],
        yes: { or: [{ cut: ["sepal width", 0.5], yes: leaf(1), no: leaf(2, 0.9) }, leaf(1)] },
        no: { or: [leaf(2), leaf(1, 0.8)] },
      },
    },
  });
}

/** The same with ground truth, which is not known for every tenth row or so. */
export function judged(): DiffView {
  return breastCancer((values) => {
    if ((values.get("worst smoothness") ?? 0) > 0.9) return null;
    return (values.get("area error") ?? 0) < 0.5 ? 0 : 1;
  });
}

/** Two regressions of house prices. */
export function houses(): DiffView {
  const scale = new Map<string, [number, number]>([
    ["living area", [40, 260]],
    ["distance to centre", [0, 30]],
    ["year built", [1890, 2020]],
    ["rooms", [1, 10]],
  ]);
  return makeView({
    names: ["linear", "boosting"],
    classes: [],
    columns: [...scale.keys()],
    rows: 2400,
    scale,
    numbers: {
      kind: "value",
      what: "price",
      low: 120_000,
      high: 480_000,
      apart: 20_000,
      text: (value) => `${Math.round(value / 1000)}k`,
    },
    tree: {
      cut: ["living area", 0.55],
      yes: {
        cut: ["distance to centre", 0.3],
        yes: {
          or: [
            near(240_000, 9_000),
            { cut: ["year built", 0.4], yes: near(305_000), no: near(244_000, 6_000) },
          ],
        },
        no: { or: [near(170_000, 4_000), near(172_000, 5_000)] },
      },
      no: {
        cut: ["year built", 0.7],
        yes: { or: [near(310_000, 14_000), near(355_000, 9_000)] },
        no: {
          or: [
            { cut: ["rooms", 0.5], yes: near(380_000, 8_000), no: near(470_000) },
            { cut: ["distance to centre", 0.6], yes: near(500_000, 11_000), no: near(330_000) },
          ],
        },
      },
    },
  });
}

/** Probabilities of two classifiers. */
export function chances(): DiffView {
  return makeView({
    names: ["LR", "RF"],
    classes: [],
    columns: ["worst perimeter", "mean concavity", "worst texture"],
    rows: 569,
    numbers: {
      kind: "proba",
      what: "probability of malignant",
      low: 0,
      high: 1,
      apart: 0.1,
      text: (value) => String(Number(value.toPrecision(2))),
    },
    tree: {
      cut: ["worst perimeter", 0.5],
      yes: {
        cut: ["worst texture", 0.6],
        yes: { or: [near(0.02), near(0.03, 0.02)] },
        no: { or: [near(0.31, 0.06), near(0.52, 0.09)] },
      },
      no: {
        cut: ["mean concavity", 0.4],
        yes: { or: [near(0.93, 0.04), near(0.66, 0.08)] },
        no: { or: [near(0.99), near(0.97)] },
      },
    },
  });
}

/** As many classes as there are products in a shop: most of them without a colour of their own. */
export function manyClasses(): DiffView {
  const columns = ["width", "height", "weight"];
  let label = 0;
  const next = () => leaf((label++ * 37) % 300, 0.9);
  const shared = (depth: number): Shared =>
    depth === 0
      ? { or: [next(), next()] }
      : {
          cut: [columns[depth % 3] as string, 0.5],
          yes: shared(depth - 1),
          no: shared(depth - 1),
        };
  return makeView({
    names: ["old", "new"],
    classes: Array.from({ length: 300 }, (_, i) => `product ${i}`),
    columns,
    rows: 3000,
    tree: shared(2),
  });
}

/** Rows of different weight: shares are not those of the counts. */
export function weighted(): DiffView {
  const view = small();
  return {
    ...view,
    outputs: { ...view.outputs, weighted: true },
    nodes: view.nodes.map((node) => ({ ...node, rate: 0.125 })),
    rules: view.rules.map((rule) => ({ ...rule, rate: 0.125 })),
  };
}

export function noDifference(): DiffView {
  return makeView({
    names: ["LR", "LR again"],
    classes: ["benign", "malignant"],
    columns: ["x"],
    rows: 300,
    tree: { cut: ["x", 0.5], yes: { or: [leaf(0), leaf(0)] }, no: { or: [leaf(1), leaf(1)] } },
  });
}

/** The root is an or-node: one rule that always holds. */
export function always(): DiffView {
  return makeView({
    names: ["yes-man", "nay-sayer"],
    classes: ["no", "yes"],
    columns: ["x"],
    rows: 200,
    tree: { or: [leaf(1), leaf(0)] },
  });
}

/** Names as someone who means harm, or knows nothing of HTML, would choose them. */
export function hostile(): DiffView {
  return makeView({
    names: ["<script>alert(1)</script>", "__proto__"],
    classes: ["<img src=x onerror=alert(2)>", "constructor", "__proto__"],
    columns: [
      "__proto__",
      'a very long name of a column that never seems to end, truly &amp; "quoted"',
    ],
    rows: 300,
    tree: {
      cut: ["__proto__", 0.5],
      yes: { or: [leaf(0), leaf(1)] },
      no: {
        cut: ['a very long name of a column that never seems to end, truly &amp; "quoted"', 0.5],
        yes: { or: [leaf(2), leaf(1, 0.7)] },
        no: { or: [leaf(1), leaf(1)] },
      },
    },
  });
}

/** 31 shared splits, 32 or-nodes with two complete subtrees of 15 nodes: 1,023 nodes, and 2,000 rules. */
export function big(): DiffView {
  const columns = Array.from({ length: 12 }, (_, i) => `feature ${i}`);
  const next = random(3);
  const cut = (): Cut => [
    columns[Math.floor(next() * columns.length)] as string,
    0.2 + 0.6 * next(),
  ];
  let label = 0;
  const branch = (depth: number, classes: number[]): Branch =>
    depth === 0
      ? leaf(classes[label++ % classes.length] as number, 0.9)
      : { cut: cut(), yes: branch(depth - 1, classes), no: branch(depth - 1, classes) };
  const shared = (depth: number): Shared =>
    depth === 0
      ? { or: [branch(3, [0, 1, 2]), branch(3, [3, 4, 5])] }
      : { cut: cut(), yes: shared(depth - 1), no: shared(depth - 1) };
  return makeView({
    names: ["champion", "challenger"],
    classes: ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"],
    columns,
    rows: 6000,
    tree: shared(5),
    maxRules: 2000,
    emptyRules: true,
  });
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
    theme: "light",
    height: 560,
    ...fields,
  };
}
