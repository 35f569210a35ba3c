// The condition of a split, in the lines of its box.

import type { NodeView } from "../protocol/types";
import { cutMiddle, wrapLines } from "./measure";

const ROOM = 126;
/** Boxes of a tree that grows down are wider and lower: its levels take the height. */
const ROOM_DOWN = 150;

/** The condition in two or three lines. If they are too short, the name of the column is cut and the rest stays whole. */
export function questionLines(
  { condition, column }: NodeView,
  width: (text: string) => number,
  down: boolean,
): string[] {
  const text = condition ?? "";
  const room = down ? ROOM_DOWN : ROOM;
  const lines = wrapLines(text, room, width, down ? 2 : 3);
  if (!column || !text.startsWith(column) || !lines.some((line) => line.includes("…")))
    return lines;
  const rest = text.slice(column.length).trim();
  const name = down ? [cutMiddle(column, room, width)] : wrapLines(column, room, width);
  return [...name, cutMiddle(rest, room, width)];
}
