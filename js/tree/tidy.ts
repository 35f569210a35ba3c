// The tidy tree of Reingold and Tilford for boxes of any size: subtrees as near to each other as their outlines allow, a
// parent in the middle of its children.

export interface TidyNode<T> {
  data: T;
  depth: number;
  parent: TidyNode<T> | null;
  children: TidyNode<T>[];
  /** Middle, across the direction in which the tree grows; that of the root is 0. */
  x: number;
}

/** By depth from a node on: how far a subtree reaches to either side of its root. */
type Outline = { low: number; high: number }[];

/** The nodes in pre-order; `size` is what a box takes, with the gap around it. */
export function tidyTree<T>(
  root: T,
  childrenOf: (data: T) => readonly T[],
  size: (data: T) => number,
): TidyNode<T>[] {
  const nodes: TidyNode<T>[] = [];
  // first the places relative to the parent, then, from the root on, the places themselves
  const place = (data: T, parent: TidyNode<T> | null): [TidyNode<T>, Outline] => {
    const node: TidyNode<T> = {
      data,
      depth: (parent?.depth ?? -1) + 1,
      parent,
      children: [],
      x: 0,
    };
    nodes.push(node);
    const all: Outline = [];
    for (const child of childrenOf(data)) {
      const [placed, outline] = place(child, node);
      node.children.push(placed);
      outline.forEach(({ low }, i) => {
        const left = all[i];
        if (left) placed.x = Math.max(placed.x, left.high - low);
      });
      outline.forEach(({ low, high }, i) => {
        all[i] = { low: all[i]?.low ?? low + placed.x, high: high + placed.x };
      });
    }
    const middle = ((node.children[0]?.x ?? 0) + (node.children.at(-1)?.x ?? 0)) / 2;
    for (const child of node.children) child.x -= middle;
    const half = size(data) / 2;
    const below = all.map(({ low, high }) => ({ low: low - middle, high: high - middle }));
    return [node, [{ low: -half, high: half }, ...below]];
  };
  place(root, null);
  for (const node of nodes) node.x += node.parent?.x ?? 0;
  return nodes;
}
