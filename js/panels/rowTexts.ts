// The texts of listed rows, and the words of rules in them.

import type { DiffView, RowsPage } from "../protocol/types";

/** Rows with a longer text have a button that opens them to read. */
export const LONG_TEXT = 40;

/** Texts are cut after this many characters: those held beside the cells of a page, and cells. */
const CUT_AFTER = [10_000, 200];

/** After how many characters a text was cut; undefined if it is whole. */
export function cutAfter(text: string): number | undefined {
  if (!text.endsWith("…")) return undefined;
  const { length } = Array.from(text);
  return CUT_AFTER.find((most) => most === length);
}

/** The text of a cell that is neither rounded nor cut. */
export function wholeText(rows: RowsPage, row: number, column: number): string {
  const held = rows.whole?.find(([r, c]) => r === row && c === column);
  return held?.[2] ?? rows.cells[row]?.[column] ?? "";
}

/** For each listed column, the words that the selected rules look for in it; without one, all rules. */
export function wordsByColumn(
  rows: RowsPage,
  view: Pick<DiffView, "rules" | "columns">,
  selected: readonly number[],
): string[][] {
  const rules = view.rules.filter(
    ({ number }) => selected.length === 0 || selected.includes(number),
  );
  const conditions = rules.flatMap((rule) => rule.conditions);
  return rows.columns.map((name, column) => {
    if ((rows.roles?.[column] ?? "column") !== "column") return [];
    const own = conditions.filter(({ position }) => view.columns[position] === name);
    return [...new Set(own.flatMap(({ word }) => word ?? []))];
  });
}

/** Whether a row has a text that its cell cannot show. */
export function hasLongText(rows: RowsPage, row: number): boolean {
  return rows.cells[row]?.some((text) => text.length > LONG_TEXT) ?? false;
}
