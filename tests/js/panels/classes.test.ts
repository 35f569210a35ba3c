// Many classes, and all rows by what both models say.

import { describe, expect, it } from "vitest";
import { classErrors, errorsByClass, labelsOf } from "../../../js/panels/crossCounts";
import type { CrossTable } from "../../../js/protocol/types";
import { classColor, colored, GREY } from "../../../js/ui/colors";
import colours from "../../golden/colours.json";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, click, one, show } = stage;
const table = () => one('[data-testid="imd-cross"]');

describe("colours", () => {
  it.each(Object.entries(colours))("go to the classes as in matplotlib: %s", (name, slots) => {
    expect(fixtures.viewNamed(name).outputs.slots ?? null).toEqual(slots);
  });

  it("go to the classes that differ most, not to the first ones", () => {
    const view = fixtures.manyClasses();
    const rows = view.classes.map((_, label) =>
      (view.crosstab?.cells ?? [])
        .filter(([a, b]) => a !== b && (a === label || b === label))
        .reduce((sum, [, , n]) => sum + n, 0),
    );
    const shown = colored(view.outputs, view.classes);
    expect(shown).toHaveLength(8);
    const least = Math.min(...shown.map((label) => rows[label] ?? 0));
    for (const [label, n] of rows.entries())
      if (!shown.includes(label)) {
        expect(n).toBeLessThanOrEqual(least);
        expect(classColor(view.outputs, label)).toBe(GREY);
      }
    expect(new Set(shown.map((label) => classColor(view.outputs, label))).size).toBe(8);
    expect(shown).not.toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

describe("the table of outcomes", () => {
  it("is explained, and scrolls where there are many", async () => {
    await stage.showWith("outcomes", fixtures.manyClasses());
    expect(one(".imd-explained").textContent).toContain("Each cell: rules, differing rows.");
    const cells = all(".imd-matrix [data-outcome]");
    expect(cells.length).toBeGreaterThan(8);
    await click(cells[0]);
    expect(all("[data-rule]").length).toBeLessThan(fixtures.manyClasses().rules.length);
  });
});

const CELLS: CrossTable = {
  cells: [
    [0, 0, 50],
    [1, 1, 30],
    [1, 0, 15],
    [0, 1, 5],
  ],
  left_out: 0,
};

describe("the cross table", () => {
  it("counts false alarms and falseNegatives on either side", () => {
    expect(classErrors(CELLS, 2, 1)).toEqual({
      falsePositives: 15,
      falseNegatives: 5,
      precision: 30 / 45,
      recall: 30 / 35,
      rows: 35,
    });
    expect(classErrors(CELLS, 1, 1)).toMatchObject({ falsePositives: 5, falseNegatives: 15 });
    expect(classErrors({ cells: [[0, 0, 4]], left_out: 0 }, 2, 1).precision).toBeNull();
    const worst = errorsByClass({ cells: [...CELLS.cells, [2, 0, 90]], left_out: 0 }, 2);
    expect(worst.map(({ label }) => label)).toEqual([0, 2, 1]);
  });

  it("leaves out the classes that differ least", () => {
    const cells = Array.from({ length: 40 }, (_, i): [number, number, number] => [i, 41, 100 - i]);
    const { labels, more } = labelsOf({ cells, left_out: 0 });
    expect(labels).toHaveLength(25);
    expect(more).toBe(16);
    expect(labels).toContain(41);
    expect(labels).not.toContain(39);
  });

  it("shows every pair, and false positives and negatives if one output is the truth", async () => {
    const view = fixtures.mostlyDifferent();
    await show(view);
    const cells = [...table().querySelectorAll("tbody tr")].map((line) =>
      [...line.querySelectorAll("td")].map((cell) => cell.textContent),
    );
    expect(cells).toEqual([
      ["203", "593"],
      ["603", "201"],
    ]);
    const said = one('[data-testid="imd-errors"]').textContent ?? "";
    expect(said).toContain("603 false positives");
    expect(said).toContain("593 false negatives");
    expect(said).toContain("precision 25\u00a0%, recall 25\u00a0%.");
    stage.model.receive("view", { ...view, truth: 0 });
    await settle();
    expect(all('[data-testid="imd-errors"]')).toHaveLength(0);
  });

  it("has precision and recall of each class where there are more, as text", async () => {
    const view = fixtures.threeClasses();
    const classes = ["<b>a</b>", ...view.classes.slice(1)];
    await show({ ...view, classes, truth: 2 });
    expect(all('[data-testid="imd-errors"] tbody tr')).toHaveLength(3);
    expect(all(".imd-cross b")).toHaveLength(0);
    stage.model.receive("view", fixtures.houses());
    await settle();
    expect(all('[data-testid="imd-cross"]')).toHaveLength(0);
  });
});
