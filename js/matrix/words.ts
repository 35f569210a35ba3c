// The text of a cell of the matrix: in the cell, and as a sentence.

import type { ComparisonView } from "../protocol/types";
import { count, percent, plural } from "../text/format";

/** Numbers of two models, of a row and of a column; the same twice on the diagonal. */
export type Place = readonly [number, number];

/** What a cell has room for: tenths of a percent, whole percents, or a shade alone. */
export type Detail = "tenths" | "whole" | "shade";

/** Models up to which a cell shows tenths, and whole percents. */
const TENTHS = 8;
const WHOLE = 20;

export const detailFor = (models: number): Detail =>
  models <= TENTHS ? "tenths" : models <= WHOLE ? "whole" : "shade";

/** "12.3 %"; never rounded to 0 % or 100 %, and as Python rounds: of two equally near, to the even digit. */
export function tenths(share: number): string {
  const value = 100 * share;
  const text =
    value > 0 && value < 0.1
      ? "<0.1"
      : value > 99.9 && value < 100
        ? ">99.9"
        : (value % 1 === 0.25 ? value - 0.01 : value).toFixed(value % 100 === 0 ? 0 : 1);
  return `${text}\u00a0%`;
}

export const shareOf = ({ shares }: ComparisonView, [i, j]: Place): number => shares[i]?.[j] ?? 0;

/** What stands in a cell; "" where only a shade has room. */
export function cellText(view: ComparisonView, place: Place, detail: Detail): string {
  const [i, j] = place;
  if (i !== j)
    return detail === "shade" ? "" : (detail === "whole" ? percent : tenths)(shareOf(view, place));
  const score = view.scores?.[i];
  const star = score?.best ? "★" : "";
  if (detail === "shade" || !score) return star;
  return star ? `★\u00a0${score.text}` : score.text;
}

/** What a star means: models that are not significantly worse than the best are starred too. */
export const starWords = ({ scores }: ComparisonView): string =>
  (scores ?? []).filter(({ best }) => best).length > 1 ? "statistically tied for best" : "the best";

function ofOne(view: ComparisonView, i: number): string {
  const { names, scores, score_name } = view;
  const score = scores?.[i];
  if (!score) return `${names[i]}`;
  return `${names[i]}: ${score_name} ${score.text}${score.best ? `, ${starWords(view)}` : ""}`;
}

/** What the second of two models gets right that the first gets wrong, and the reverse. */
function changesOf({ names, fixes }: ComparisonView, [i, j]: Place): string {
  if (!fixes) return "";
  const [fixed, broken] = [fixes[i]?.[j] ?? 0, fixes[j]?.[i] ?? 0];
  const rows = plural(fixed, "row");
  return `; ${names[j]} fixes ${rows} that ${names[i]} gets wrong and breaks ${count(broken)}`;
}

/** Whether the scores of two models cannot be told apart. */
export const isTied = ({ apart }: ComparisonView, [i, j]: Place): boolean =>
  i !== j && apart?.[i]?.[j] === false;

const tiedText = (view: ComparisonView, place: Place): string =>
  isTied(view, place) ? `; by ${view.score_name} the two cannot be told apart` : "";

/** "LR and RF differ on 12.3 % of rows (1,230); RF fixes 40 rows that LR gets wrong and breaks 12" */
export function cellSentence(view: ComparisonView, place: Place): string {
  const [i, j] = place;
  if (i === j) return ofOne(view, i);
  const pair = `${view.names[i]} and ${view.names[j]}`;
  const rows = view.rows[i]?.[j] ?? 0;
  if (rows === 0) return `${pair} agree on all rows`;
  const apart = view.differs ? `are ${view.differs}` : "differ";
  const weight = view.weighted ? ", by weight" : "";
  const share = `${tenths(shareOf(view, place))} of rows${weight} (${count(rows)})`;
  return `${pair} ${apart} on ${share}${changesOf(view, place)}${tiedText(view, place)}`;
}

/** Whether the diff of two models can be shown. */
export function canOpen({ openable }: ComparisonView, [i, j]: Place): boolean {
  if (i === j) return false;
  return !openable || openable.some(([a, b]) => (a === i && b === j) || (a === j && b === i));
}
