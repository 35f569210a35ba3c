// The tidy tree: the same places as d3-hierarchy finds for trees with up to two branches, and no overlap.

import { hierarchy, tree } from "d3-hierarchy";
import { describe, expect, it } from "vitest";
import { tidyTree } from "../../../js/tree/tidy";

interface Random {
  size: number;
  children: Random[];
}

/** A tree from a seed, always the same. */
function grown(seed: number): Random {
  let state = seed;
  const random = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
  const grow = (depth: number): Random => {
    const count = depth > 7 || random() < 0.3 ? 0 : random() < 0.2 ? 1 : 2;
    return {
      size: 10 + Math.floor(90 * random()),
      children: Array.from({ length: count }, () => grow(depth + 1)),
    };
  };
  return grow(0);
}

describe("the tidy tree", () => {
  it("is that of d3-hierarchy", () => {
    for (let seed = 1; seed < 200; seed += 1) {
      const root = grown(seed);
      const theirs = tree<Random>()
        .nodeSize([1, 1])
        .separation((a, b) => (a.data.size + b.data.size) / 2)(
        hierarchy(root, ({ children }) => children),
      );
      const expected: number[] = [];
      theirs.eachBefore(({ x }) => expected.push(x));
      const ours = tidyTree(
        root,
        ({ children }) => children,
        ({ size }) => size,
      );
      expect(ours.map(({ depth }) => depth)).toEqual(
        (() => {
          const depths: number[] = [];
          theirs.eachBefore(({ depth }) => depths.push(depth));
          return depths;
        })(),
      );
      ours.forEach(({ x }, i) => {
        expect(x).toBeCloseTo(expected[i] ?? Number.NaN, 6);
      });
    }
  });

  it("keeps boxes of one level apart", () => {
    for (let seed = 1; seed < 200; seed += 1) {
      const last = new Map<number, number>();
      const nodes = tidyTree(
        grown(seed),
        ({ children }) => children,
        ({ size }) => size,
      );
      for (const { data, depth, x } of nodes) {
        expect(x - data.size / 2).toBeGreaterThanOrEqual((last.get(depth) ?? -Infinity) - 1e-9);
        last.set(depth, x + data.size / 2);
      }
    }
  });
});
