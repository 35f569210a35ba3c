// What is written in each box, and so how large it is. Drawing and layout read this and decide nothing themselves.

import { count, percent, plural, shortCount } from "../format";
import type { DiffView, NodeView } from "../types";
import { cutMiddle, type Measure, type Weight, wrapTwo } from "./measure";
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
const CONDITION_ROOM = 120;
const LABEL_ROOM = 110;
const NAME_ROOM = 72;

/** What one model says at a leaf. */
export interface Verdict {
  side: 1 | 2;
  label: number;
  name: string;
  text: string;
  /** Share of the leaf's rows to which the model really gives the label. */
  purity: number;
  /** That share in words; null for a pure leaf, where it says nothing. */
  share: string | null;
}

/** What the models say in the rules under a folded or-node: [model 1, model 2]. */
export interface Outcome {
  labels: [number, number];
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
  | (Size & { kind: "split"; lines: string[]; note: string })
  | (Size & { kind: "or"; number: string; note: string; outcomes: Outcome[] })
  | (Size & { kind: "leaf"; body: number; verdict: Verdict; rows: string; mark: string | null })
  | (Size & {
      kind: "pair";
      body: number;
      nameWidth: number;
      verdicts: [Verdict, Verdict];
      differs: boolean;
      /** Width of the badge around `top`. */
      badge: number;
      top: string;
      bottom: string;
    })
  | (Size & { kind: "stub"; lines: string[] });

export interface Words {
  names: DiffView["names"];
  classes: DiffView["classes"];
  rules: DiffView["rules"];
  measure: Measure;
}

export function modelName(words: Words, side: 1 | 2): string {
  const name = words.names[side - 1] ?? "";
  return cutMiddle(name, NAME_ROOM, (text) => words.measure(text, SMALL));
}

export function purity(node: NodeView): number {
  if (node.side === 0 || node.label === null || node.rows === 0) return 1;
  return (node.counts[node.side - 1]?.[node.label] ?? 0) / node.rows;
}

function verdict(node: NodeView, words: Words): Verdict {
  const side = node.side === 2 ? 2 : 1;
  const share = purity(node);
  const label = node.label ?? 0;
  const full = words.classes[label] ?? "";
  return {
    side,
    label,
    name: modelName(words, side),
    text: cutMiddle(full, LABEL_ROOM, (text) => words.measure(text, TEXT, 500)),
    purity: share,
    share: share < 1 ? percent(share) : null,
  };
}

/** The two kinds of rule with most differing rows: enough to say who says what without unfolding. */
function outcomesOf(node: NodeView, words: Words): Outcome[] {
  const found = new Map<string, { labels: [number, number]; differing: number }>();
  for (const number of node.rules) {
    const rule = words.rules[number];
    if (!rule) continue;
    const key = rule.outcomes.join(" ");
    const known = found.get(key) ?? { labels: rule.outcomes, differing: 0 };
    known.differing += rule.differing;
    found.set(key, known);
  }
  const most = [...found.values()].sort((a, b) => b.differing - a.differing).slice(0, 2);
  return most.map(({ labels }) => {
    const texts = labels.map((label) =>
      cutMiddle(words.classes[label] ?? "", LABEL_ROOM, (text) => words.measure(text, TEXT, 500)),
    ) as [string, string];
    const signX = SWATCH + words.measure(texts[0], TEXT, 500) + 6;
    const sign = words.measure("≠", TEXT, 500);
    return { labels, texts, signX, secondX: signX + sign + 6 + SWATCH };
  });
}

export function contentOf(box: Box, words: Words): Content {
  const width = (text: string, size: number, weight?: Weight) =>
    text ? words.measure(text, size, weight) : 0;
  const { node } = box;

  if (box.kind === "stub") {
    const lines =
      node.differing === 0
        ? [`agree · ${plural(node.rows, "row")}`]
        : [`no rule · ${plural(node.rows, "row")}`, `${count(node.differing)} differ`];
    const w = Math.max(...lines.map((line) => width(line, SMALL)));
    return { kind: "stub", lines, w: w + 44, h: lines.length * 16 + 12 };
  }

  if (box.kind === "pair" && box.pair) {
    const verdicts: [Verdict, Verdict] = [verdict(box.pair[0], words), verdict(box.pair[1], words)];
    const nameWidth = Math.max(...verdicts.map((said) => width(said.name, SMALL)));
    const said = Math.max(
      ...verdicts.map((v) => width(v.text, TEXT, 500) + (v.share ? 8 + width(v.share, SMALL) : 0)),
    );
    const body = BAND + 9 + nameWidth + 9 + said + PAD;
    const isRule = node.rules.length > 0;
    const rate = node.rows > 0 ? node.differing / node.rows : 0;
    const few = node.differing === 0 ? "agree" : `${count(node.differing)} differ`;
    const top = isRule ? `≠ ${percent(rate)}` : few;
    const bottom = isRule
      ? `${count(node.differing)} of ${count(node.rows)}`
      : plural(node.rows, "row");
    const badge = isRule ? width(top, TEXT, 600) + 16 : width(top, SMALL);
    const beside = Math.max(badge, width(bottom, SMALL));
    return {
      kind: "pair",
      verdicts,
      nameWidth,
      body,
      differs: isRule,
      badge,
      top,
      bottom,
      w: body + 10 + beside + (box.foldable ? 26 : 0),
      h: 2 * HALF_HEIGHT,
    };
  }

  if (box.kind === "or") {
    const number = shortCount(node.differing);
    if (!box.folded) return { kind: "or", number, note: "", outcomes: [], w: CIRCLE, h: CIRCLE };
    const rate = node.rows > 0 ? node.differing / node.rows : 0;
    const note = node.region
      ? `≠ ${percent(rate)} of ${plural(node.rows, "row")}`
      : plural(node.rules.length, "rule");
    const outcomes = outcomesOf(node, words);
    const widest = Math.max(
      width(note, SMALL),
      ...outcomes.map((said) => said.secondX + width(said.texts[1], TEXT, 500)),
    );
    return { kind: "or", number, note, outcomes, w: BESIDE_CIRCLE + widest, h: CIRCLE };
  }

  if (box.kind === "leaf") {
    const said = verdict(node, words);
    const rows = said.share
      ? `${plural(node.rows, "row")} · ${said.share}`
      : plural(node.rows, "row");
    const body = BAND + 9 + Math.max(width(said.text, TEXT, 500), width(rows, SMALL), 44) + PAD;
    const mark = node.rules.length > 0 ? `≠ ${plural(node.rules.length, "rule")}` : null;
    const beside = mark ? 8 + width(mark, SMALL, 600) : 0;
    return { kind: "leaf", verdict: said, rows, mark, body, w: body + beside, h: 46 };
  }

  const lines = wrapTwo(node.condition ?? "", CONDITION_ROOM, (text) => width(text, TEXT, 500));
  const note = box.folded
    ? `${plural(node.rules.length, "rule")} inside`
    : `${count(node.differing)} of ${count(node.rows)} differ`;
  const widest = Math.max(...lines.map((line) => width(line, TEXT, 500)), width(note, SMALL));
  return { kind: "split", lines, note, w: widest + 2 * PAD + 4, h: lines.length * 17 + 16 + 14 };
}

/** The whole of it in words: for the tooltip and for a screen reader. */
export function describe(box: Box, view: DiffView): string {
  const { node } = box;
  const label = (leaf: NodeView) => view.classes[leaf.label ?? -1] ?? "";
  const rows = `${plural(node.rows, "row")}, ${count(node.differing)} differ`;
  const rules = node.rules.length > 0 ? `, ${plural(node.rules.length, "rule")}` : "";
  if (box.kind === "stub")
    return node.differing === 0
      ? `The models agree here: ${plural(node.rows, "row")}`
      : `No rule here: ${rows}`;
  if (box.kind === "pair" && box.pair) {
    const rate = node.rows > 0 ? ` (${percent(node.differing / node.rows)})` : "";
    const said = box.pair.map((leaf, i) => {
      const sure = purity(leaf);
      return `${view.names[i]} says ${label(leaf)}${sure < 1 ? ` on ${percent(sure)} of them` : ""}`;
    });
    return `${said.join(", ")}: ${rows}${rate}${rules}`;
  }
  if (box.kind === "or" && node.region) return `The models differ here: ${rows}${rules}`;
  if (box.kind === "or")
    return `${view.names[0]} and ${view.names[1]} go separate ways on the same ${rows}${rules}`;
  if (box.kind === "leaf") {
    const who = node.side === 0 ? "Both models" : view.names[node.side - 1];
    const sure = purity(node);
    const share = sure < 1 ? `, true of ${percent(sure)} of them` : "";
    return `${who} says ${label(node)}: ${plural(node.rows, "row")}${share}${rules}`;
  }
  const who = node.side === 0 ? "" : ` (${view.names[node.side - 1]} only)`;
  return `${node.condition ?? ""}${who}: ${rows}${rules}`;
}
