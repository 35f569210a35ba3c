// What is written in each box, and its size. Drawing and layout read this and decide nothing themselves.

import type { DiffView, NodeView, RuleView } from "../protocol/types";
import { count, percent, plural, shortCount } from "../text/format";
import { doubtOf, namedPairs, ruleOutcome, scalePosition } from "../text/outcome";
import { outcomeColor } from "../ui/colors";
import { cutMiddle, type Measure, type Weight } from "./measure";
import { questionLines } from "./question";
import type { Box } from "./visible";

export const TEXT = 13;
/** The smallest text of the tree at scale 1: the first view may shrink it to `READABLE`, no further. */
export const SMALL = 12;
export const READABLE = 11;

export const HALF_HEIGHT = 26;
export const CIRCLE = 50;
export const BAND = 7;
/** Where the text beside a folded circle begins, and what a swatch takes before a text. */
export const BESIDE_CIRCLE = CIRCLE + 18;
export const SWATCH = 15;
const PAD = 10;
/** Two small squares with ≠ between them, and the room after them. */
export const COLOR_PAIR = 46;
const LABEL_ROOM = 110;
const NAME_ROOM = 72;
/** The shortest line on which the place of a mark says anything. */
const TRACK = 72;

/** What one model says at a leaf. */
export interface LeafLabel {
  side: 1 | 2;
  name: string;
  text: string;
  color: string;
  /** How impure the leaf is, in words; null for a pure leaf. */
  doubt: string | null;
  /** Of a class: the share of rows to which the model really gives it. Of a number: its place on the scale. */
  bar: { kind: "share" | "place"; at: number };
}

/** What the models say in the rules under a folded or-node: [model 1, model 2]. */
export interface FoldedSummary {
  colors: [string, string];
  texts: [string, string];
  /** Where the sign between them and the second text begin. */
  signX: number;
  secondX: number;
}

interface Size {
  w: number;
  h: number;
}

export type Content =
  /** `pairs`: colours of what the models say in the rules below, where it is folded. */
  | (Size & { kind: "split"; lines: string[]; note: string; pairs: FoldedSummary["colors"][] })
  | (Size & { kind: "or"; number: string; note: string; summaries: FoldedSummary[] })
  | (Size & { kind: "leaf"; body: number; leafLabel: LeafLabel; rows: string; mark: string | null })
  | (Size & {
      kind: "pair";
      body: number;
      nameWidth: number;
      leafLabels: [LeafLabel, LeafLabel];
      differs: boolean;
      /** Width of the badge around `top`. */
      badge: number;
      top: string;
      bottom: string;
    })
  | (Size & { kind: "stub"; lines: string[] });

/** What the drawing of a tree reads, beside its nodes. */
export interface TreeSource extends Pick<DiffView, "names" | "outputs" | "rules"> {
  /** One tree alone, with this title: there is no second model to differ from. */
  single?: string;
}

export interface TextSource extends TreeSource {
  measure: Measure;
  /** On a narrow canvas a folded box has its counts alone. */
  narrow?: boolean;
  /** The tree grows down. */
  down?: boolean;
}

export function modelName(words: TextSource, side: 1 | 2): string {
  const name = words.names[side - 1] ?? "";
  return cutMiddle(name, NAME_ROOM, (text) => words.measure(text, SMALL));
}

function labelText(said: string, words: TextSource): string {
  return cutMiddle(said, LABEL_ROOM, (text) => words.measure(text, TEXT, 500));
}

function leafLabel(node: NodeView, words: TextSource): LeafLabel {
  const side = node.side === 2 ? 2 : 1;
  const place = scalePosition(words.outputs, node);
  return {
    side,
    name: modelName(words, side),
    text: labelText(node.said ?? "", words),
    color: outcomeColor(words.outputs, node),
    doubt: doubtOf(node),
    bar: place === null ? { kind: "share", at: node.purity ?? 1 } : { kind: "place", at: place },
  };
}

/** The least width at which a bar can be read. */
function barRoom({ bar }: LeafLabel): number {
  return bar.kind === "place" ? TRACK : 44;
}

export function leafLabelsOf(content: Content): LeafLabel[] {
  if (content.kind === "leaf") return [content.leafLabel];
  return content.kind === "pair" ? content.leafLabels : [];
}

/** The root of a large tree has thousands of rules, and folding to fit asks for it again and again. */
const known = new WeakMap<
  NodeView,
  Pick<TextSource, "measure" | "rules"> & { found: FoldedSummary[] }
>();

/** The two kinds of rule with most differing rows: enough to say who says what without unfolding. */
function summariesOf(node: NodeView, words: TextSource): FoldedSummary[] {
  const { measure, rules } = words;
  const before = known.get(node);
  if (before?.measure === measure && before.rules === rules) return before.found;
  const found = summarized(node, words);
  known.set(node, { measure, rules, found });
  return found;
}

function summarized(node: NodeView, words: TextSource): FoldedSummary[] {
  const found = new Map<string, RuleView[]>();
  for (const number of node.rules) {
    const rule = words.rules[number];
    if (!rule || rule.agrees) continue;
    // Rules with the same two classes count as one kind; two means are hardly ever equal.
    const key = namedPairs(rule)[0]?.outcomes?.join(" ") ?? `rule ${number}`;
    found.set(key, [...(found.get(key) ?? []), rule]);
  }
  const differing = (rules: RuleView[]) => rules.reduce((sum, rule) => sum + rule.differing, 0);
  const most = [...found.values()].sort((a, b) => differing(b) - differing(a)).slice(0, 2);
  return most.flatMap((rules) => {
    const [pair] = rules.slice(0, 1).flatMap(namedPairs);
    if (!pair) return [];
    const marks = new Set(rules.map(({ title_more }) => title_more));
    const more = marks.size === 1 ? rules[0]?.title_more : "…";
    const texts: FoldedSummary["texts"] = [
      labelText(pair.said[0], words),
      labelText(pair.said[1], words) + (more ? ` ${more}` : ""),
    ];
    const color = (side: 0 | 1) => outcomeColor(words.outputs, ruleOutcome(pair, side));
    const signX = SWATCH + words.measure(texts[0], TEXT, 500) + 6;
    const sign = words.measure("≠", TEXT, 500);
    return { colors: [color(0), color(1)], texts, signX, secondX: signX + sign + 6 + SWATCH };
  });
}

/** The width of a text; of an empty one 0. */
const widthIn =
  ({ measure }: TextSource) =>
  (text: string, size: number, weight?: Weight) =>
    text ? measure(text, size, weight) : 0;

export function contentOf(box: Box, words: TextSource): Content {
  if (box.kind === "stub") return stubContent(box, words);
  if (box.kind === "pair" && box.pair) return pairContent(box, box.pair, words);
  if (box.kind === "or") return orContent(box, words);
  return box.kind === "leaf" ? leafContent(box, words) : splitContent(box, words);
}

/** "agree 92 %": how often, at a node whose rules are rules of agreement. */
export function agreeText({ rate }: NodeView): string {
  return `agree ${percent(rate === null ? null : 1 - rate)}`;
}

function stubContent({ node, folded }: Box, words: TextSource): Content {
  const width = widthIn(words);
  const rows = plural(node.rows, "row");
  const beside = (what: string) => (words.narrow ? [what, rows] : [`${what} · ${rows}`]);
  const lines = !folded
    ? ["?", rows]
    : node.agreement
      ? beside(agreeText(node))
      : node.differing === 0
        ? beside("agree")
        : [...beside("no rule"), `${count(node.differing)} differ`];
  const w = Math.max(...lines.map((line) => width(line, SMALL)));
  return { kind: "stub", lines, w: w + 44, h: lines.length * 16 + 12 };
}

function pairContent(
  { node, foldable }: Box,
  pair: readonly [NodeView, NodeView],
  words: TextSource,
): Content {
  const width = widthIn(words);
  const leafLabels: [LeafLabel, LeafLabel] = [leafLabel(pair[0], words), leafLabel(pair[1], words)];
  const nameWidth = Math.max(...leafLabels.map((said) => width(said.name, SMALL)));
  const said = Math.max(
    ...leafLabels.map((v) => width(v.text, TEXT, 500) + (v.doubt ? 8 + width(v.doubt, SMALL) : 0)),
    ...leafLabels.map(barRoom),
  );
  const body = BAND + 9 + nameWidth + 9 + said + PAD;
  const agrees = Boolean(node.agreement);
  const isRule = node.rules.length > 0 && !agrees;
  const few = node.differing === 0 ? "agree" : `${count(node.differing)} differ`;
  const top = isRule ? `≠ ${percent(node.rate)}` : agrees ? agreeText(node) : few;
  const counted = agrees ? node.rows - node.differing : node.differing;
  const bottom =
    isRule || agrees
      ? `${count(counted)} of ${count(node.rows)}${words.outputs.weighted ? " rows" : ""}`
      : plural(node.rows, "row");
  const badge = isRule ? width(top, TEXT, 600) + 16 : width(top, SMALL);
  const beside = Math.max(badge, width(bottom, SMALL));
  return {
    kind: "pair",
    leafLabels,
    nameWidth,
    body,
    differs: isRule,
    badge,
    top,
    bottom,
    w: body + 10 + beside + (foldable ? 26 : 0),
    h: 2 * HALF_HEIGHT,
  };
}

function orContent({ node, folded }: Box, words: TextSource): Content {
  const width = widthIn(words);
  const number = shortCount(node.differing);
  if (!folded) return { kind: "or", number, note: "", summaries: [], w: CIRCLE, h: CIRCLE };
  const rows = plural(node.rows, "row");
  const note = node.region
    ? `≠ ${percent(node.rate)} of ${rows}`
    : node.agreement
      ? `${agreeText(node)} of ${rows}`
      : plural(node.rules.length, "rule");
  const summaries = summariesOf(node, words);
  const widest = Math.max(
    width(note, SMALL),
    ...summaries.map((said) => said.secondX + width(said.texts[1], TEXT, 500)),
  );
  return { kind: "or", number, note, summaries, w: BESIDE_CIRCLE + widest, h: CIRCLE };
}

function leafContent({ node }: Box, words: TextSource): Content {
  const width = widthIn(words);
  const said = leafLabel(node, words);
  const rows = said.doubt
    ? `${plural(node.rows, "row")} · ${said.doubt}`
    : plural(node.rows, "row");
  const widest = Math.max(width(said.text, TEXT, 500), width(rows, SMALL), barRoom(said));
  const body = BAND + 9 + widest + PAD;
  const sign = node.agreement ? "=" : "≠";
  const mark = node.rules.length > 0 ? `${sign} ${plural(node.rules.length, "rule")}` : null;
  const beside = mark ? 8 + width(mark, SMALL, 600) : 0;
  return { kind: "leaf", leafLabel: said, rows, mark, body, w: body + beside, h: 46 };
}

function splitContent({ node, folded }: Box, words: TextSource): Content {
  const width = widthIn(words);
  const short = folded && words.narrow;
  const lines = short
    ? []
    : questionLines(node, (text) => width(text, TEXT, 500), words.down ?? false);
  const pairs = folded && !short ? summariesOf(node, words).map(({ colors }) => colors) : [];
  const note = words.single
    ? `${node.said} · ${plural(node.rows, "row")}`
    : !folded
      ? `${count(node.differing)} of ${count(node.rows)} differ`
      : node.agreement
        ? agreeText(node)
        : `${count(node.differing)} differ`;
  const below = pairs.length * COLOR_PAIR + width(note, SMALL);
  const widest = Math.max(...lines.map((line) => width(line, TEXT, 500)), below);
  const w = widest + 2 * PAD + (folded ? 12 : 4);
  return { kind: "split", lines, note, pairs, w, h: lines.length * 17 + 16 + 14 };
}
