// The browser and matplotlib draw the same boxes of a view: tests/golden/boxes is written by pytest from plot/.

import { describe, expect, it } from "vitest";
import { percent, plural, shortCount } from "../../../js/text/format";
import { type Content, contentOf } from "../../../js/tree/content";
import { foldsToFit } from "../../../js/tree/initialFolds";
import { type Box, flatten, indexNodes, visibleTree } from "../../../js/tree/visible";
import numbers from "../../golden/numbers.json";
import * as fixtures from "../fixtures";

interface TreeGolden {
  differences_only: boolean;
  folds: Record<string, boolean>;
  /** Ends of branches that there is room for; null: for all. */
  most_ends: number | null;
  boxes: unknown[];
}

const goldens = import.meta.glob<TreeGolden[]>("../../golden/boxes/*.json", {
  eager: true,
  import: "default",
});
const CASES = Object.entries(goldens).flatMap(([path, trees]) =>
  trees.map((tree, i) => [path.replace(/^.*\/|\.json$/g, ""), i, tree] as const),
);

/** In the order in which matplotlib writes them. */
function textsOf(content: Content): string[] {
  if (content.kind === "stub") return content.lines;
  if (content.kind === "split") return [...content.lines, content.note];
  if (content.kind === "leaf") return [content.leafLabel.text, content.rows];
  if (content.kind === "or") {
    const said = content.summaries.flatMap(({ texts }) => texts);
    return [content.number, ...said, ...(content.note ? [content.note] : [])];
  }
  const said = content.leafLabels.flatMap(({ name, text, doubt }) =>
    doubt === null ? [name, text] : [name, text, doubt],
  );
  return [...said, content.top, content.bottom];
}

const endsOf = (root: Box | null) =>
  flatten(root).filter(({ children }) => children.length === 0).length;

describe("the boxes that matplotlib draws", () => {
  it("are those of several views", () => {
    expect(new Set(CASES.map(([name]) => name)).size).toBeGreaterThan(8);
  });

  it.each(CASES)("are drawn here too: %s, %i", (name, _, golden) => {
    const view = fixtures.viewNamed(name);
    const index = indexNodes(view.nodes);
    const folds =
      golden.most_ends === null
        ? new Map(Object.entries(golden.folds))
        : foldsToFit(index, view.rules, (root) => endsOf(root) <= (golden.most_ends ?? 0));
    const root = visibleTree(index, { differencesOnly: golden.differences_only, folds });
    // how much of a text fits is a matter of the font: here all of it does
    const words = { ...view, measure: () => 0 };
    const boxes = flatten(root).map((box) => ({
      id: box.id,
      kind: box.kind,
      folded: box.folded,
      rows: box.node.rows,
      differing: box.node.differing,
      rules: box.node.rules.length,
      texts: textsOf(contentOf(box, words)),
    }));
    expect(boxes).toEqual(golden.boxes);
  });
});

describe("numbers as people read them", () => {
  it.each(
    Object.entries({ percent, short_count: shortCount, rows: (n: number) => plural(n, "row") }),
  )("are written as matplotlib writes them: %s", (name, write) => {
    const expected = numbers[name as keyof typeof numbers];
    expect(expected.length).toBeGreaterThan(5);
    expect(expected.map(([value]) => [value, write(value as number)])).toEqual(expected);
  });
});
