// The words in which two texts differ: those outside their longest common sequence of words.

import type { Piece } from "./words";

/** With more words than this in either text, none are marked: the table below grows as their product. */
export const MOST_WORDS = 1500;

/** Both texts in pieces, the words that differ marked; null unless both have at least two words. */
export function differing(first: string, second: string): [Piece[], Piece[]] | null {
  const one = parts(first);
  const two = parts(second);
  const counts = [one, two].map((own) => own.filter(isWord).length);
  if (Math.min(...counts) < 2 || Math.max(...counts) > MOST_WORDS) return null;
  const [inOne, inTwo] = common(one.filter(isWord), two.filter(isWord));
  return [pieces(one, inOne), pieces(two, inTwo)];
}

/** Words, and what is between them. */
function parts(text: string): string[] {
  return text.split(/([\p{L}\p{M}\p{N}_]+)/u).filter((part) => part !== "");
}

function isWord(part: string): boolean {
  return /^[\p{L}\p{N}_]/u.test(part);
}

/** Which words of either list are in their longest common sequence. */
function common(one: string[], two: string[]): [boolean[], boolean[]] {
  const width = two.length + 1;
  // length[i * width + j]: of the longest common sequence of one from i on and two from j on
  const length = new Uint16Array((one.length + 1) * width);
  const at = (i: number, j: number) => length[i * width + j] ?? 0;
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = two.length - 1; j >= 0; j--) {
      length[i * width + j] =
        one[i] === two[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const inOne = one.map(() => false);
  const inTwo = two.map(() => false);
  for (let i = 0, j = 0; i < one.length && j < two.length; ) {
    if (one[i] === two[j]) {
      inOne[i++] = true;
      inTwo[j++] = true;
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return [inOne, inTwo];
}

/** Parts as pieces; neighbours that differ, and the gap between them, are one piece. */
function pieces(all: string[], isCommon: boolean[]): Piece[] {
  const found: Piece[] = [];
  let word = 0;
  const marks = all.map((part) => isWord(part) && !isCommon[word++]);
  for (const [at, text] of all.entries()) {
    const between = !isWord(text) && marks[at - 1] === true && marks[at + 1] === true;
    const marked = marks[at] === true || between;
    const last = found[found.length - 1];
    if (last && last.marked === marked) last.text += text;
    else found.push({ text, marked });
  }
  return found;
}
