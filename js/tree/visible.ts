// Which boxes are on screen: the tree of the view, minus what is folded, minus what agrees.

import type { DiffView, NodeView, RuleView } from "../protocol/types";

/**
 * pair: an or-node and its two leaves in one box. stub: a subtree without a rule, or one that is a rule
 * of agreement as a whole, folded. A subtree that is one diff rule as a whole is, folded, drawn like an
 * or-node.
 */
export type BoxKind = "split" | "or" | "leaf" | "pair" | "stub";

export interface Box {
  id: string;
  kind: BoxKind;
  node: NodeView;
  /** Of a pair: the leaf of model 1 and of model 2. */
  pair: [NodeView, NodeView] | null;
  children: Box[];
  foldable: boolean;
  folded: boolean;
}

export interface TreeIndex {
  root: NodeView | null;
  byId: ReadonlyMap<string, NodeView>;
  children: ReadonlyMap<string, NodeView[]>;
}

export interface VisibleOptions {
  differencesOnly: boolean;
  /** What the user folded (true) or unfolded (false) by hand. */
  folds: ReadonlyMap<string, boolean>;
}

const NONE: NodeView[] = [];

export function indexNodes(nodes: readonly NodeView[]): TreeIndex {
  const byId = new Map<string, NodeView>();
  const children = new Map<string, NodeView[]>();
  let root: NodeView | null = null;
  for (const node of nodes) {
    byId.set(node.id, node);
    if (node.parent === null) root = node;
    else {
      const siblings = children.get(node.parent);
      if (siblings) siblings.push(node);
      else children.set(node.parent, [node]);
    }
  }
  return { root, byId, children };
}

export function visibleTree(index: TreeIndex, options: VisibleOptions): Box | null {
  return index.root && build(index, index.root, options, false);
}

/** `opened` is true inside a stub that the user unfolded: nothing there is a stub again. */
function build(index: TreeIndex, node: NodeView, options: VisibleOptions, opened: boolean): Box {
  const below = index.children.get(node.id) ?? NONE;
  const box = { id: node.id, node, pair: null, children: [], folded: false };
  if (node.kind === "leaf" || below.length === 0) return { ...box, kind: "leaf", foldable: false };

  const silent = node.rules.length === 0 || node.agreement === "whole";
  const choice = options.folds.get(node.id);
  const folded = choice ?? (options.differencesOnly && silent && !opened);
  if (folded && silent) return { ...box, kind: "stub", foldable: true, folded: true };

  // A node that is one rule as a whole: how the models decide inside it is shown when it is unfolded.
  if (node.region && node.kind === "split" && (choice ?? options.differencesOnly)) {
    return { ...box, kind: "or", foldable: true, folded: true };
  }

  const [first, second] = below;
  if (node.kind === "or" && first?.kind === "leaf" && second?.kind === "leaf") {
    return { ...box, kind: "pair", pair: [first, second], foldable: silent && choice === false };
  }
  const inside = opened || (silent && choice === false);
  return {
    ...box,
    kind: node.kind,
    foldable: true,
    folded,
    children: folded ? [] : below.map((child) => build(index, child, options, inside)),
  };
}

/** All of one tree by itself, but for what is folded. */
export function wholeTree(index: TreeIndex, node: NodeView, folds: Record<string, boolean>): Box {
  const below = index.children.get(node.id) ?? NONE;
  const foldable = below.length > 0;
  const folded = foldable && Boolean(folds[node.id]);
  const children = folded ? [] : below.map((child) => wholeTree(index, child, folds));
  return { id: node.id, node, pair: null, kind: node.kind, foldable, folded, children };
}

/** The tree while it grows: nodes that are not `grown` yet, but will be, are stubs that are not folded. */
export function grownTree(index: TreeIndex, node: NodeView, grown: ReadonlySet<string>): Box {
  const below = index.children.get(node.id) ?? NONE;
  const box = { id: node.id, node, pair: null, children: [], foldable: false, folded: false };
  if (below.length === 0) return { ...box, kind: "leaf" };
  if (!grown.has(node.id)) return { ...box, kind: "stub" };
  return {
    ...box,
    kind: node.kind,
    children: below.map((child) => grownTree(index, child, grown)),
  };
}

/** Pre-order, as a reader of the tree meets them. */
export function flatten(root: Box | null): Box[] {
  const found: Box[] = [];
  const visit = (box: Box) => {
    found.push(box);
    for (const child of box.children) visit(child);
  };
  if (root) visit(root);
  return found;
}

/** The node and everything above it. */
export function pathTo(index: TreeIndex, id: string): string[] {
  const path: string[] = [];
  for (let node = index.byId.get(id); node; ) {
    path.push(node.id);
    node = node.parent === null ? undefined : index.byId.get(node.parent);
  }
  return path.reverse();
}

/** Root, or-node and both leaves of every leaf pair: what lights up for a rule. */
export function rulePath(index: TreeIndex, rule: RuleView): Set<string> {
  const highlighted = new Set(pathTo(index, rule.node));
  for (const pair of rule.leaves)
    for (const leaf of pair) for (const id of pathTo(index, leaf)) highlighted.add(id);
  return highlighted;
}

/** The nodes that light up for several rules, by their numbers; null if there are none. */
export function highlightedByRules(
  index: TreeIndex,
  { rules }: DiffView,
  numbers: readonly number[],
): Set<string> | null {
  const chosen = numbers.flatMap((number) => rules[number] ?? []);
  const highlighted = new Set(chosen.flatMap((rule) => [...rulePath(index, rule)]));
  return highlighted.size > 0 ? highlighted : null;
}

/** Whether a diff rule lies at or below the node. */
const hasDifference = ({ rules, agreement }: NodeView) => rules.length > 0 && !agreement;

/** Whether the box is an or-node with at least one diff rule, or one diff rule as a whole. */
export function differs(box: Box): boolean {
  return (box.kind === "or" || box.kind === "pair") && hasDifference(box.node);
}

/** Whether the box differs, or is folded and holds one that does. */
export function holdsDifference(box: Box): boolean {
  return differs(box) || (box.folded && hasDifference(box.node));
}
