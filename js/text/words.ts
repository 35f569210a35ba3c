// Finds the words that rules look for in texts. Python decides which rows contain them
// (src/imd_widget/data/words.py); here they are only marked.

const LETTER = "[\\p{L}\\p{M}\\p{N}_]";
/** Chinese and Japanese have no spaces between words. */
const UNSPACED = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]+$/u;

/** A part of a text; `marked` if it is one of the words. */
export interface Piece {
  text: string;
  marked: boolean;
}

function pattern(words: readonly string[]): RegExp | null {
  if (words.length === 0) return null;
  const one = (word: string) => {
    const letters = word.split(" ").join(`[^\\p{L}\\p{M}\\p{N}_]+`);
    return UNSPACED.test(word) ? letters : `(?<!${LETTER})${letters}(?!${LETTER})`;
  };
  // A pair of words comes before the words that it begins with.
  const longest = [...words].sort((a, b) => b.length - a.length);
  return new RegExp(longest.map(one).join("|"), "giu");
}

/** A text in pieces, the words among them marked. */
export function pieces(text: string, words: readonly string[]): Piece[] {
  const found: Piece[] = [];
  const searched = pattern(words);
  let end = 0;
  for (const match of searched ? text.matchAll(searched) : []) {
    if (match.index > end) found.push({ text: text.slice(end, match.index), marked: false });
    found.push({ text: match[0], marked: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ text: text.slice(end), marked: false });
  return found;
}

/** Characters before the first word in an excerpt. */
const BEFORE = 12;

/** A text from shortly before the first of the words, cut at a space; all of it without one. */
export function excerpt(text: string, words: readonly string[], longest: number): string {
  const searched = pattern(words);
  const at = searched ? text.search(searched) : -1;
  if (at <= BEFORE) return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  const space = text.indexOf(" ", at - BEFORE);
  const start = space >= 0 && space < at ? space + 1 : at;
  const rest = text.slice(start);
  return `…${rest.length > longest ? `${rest.slice(0, longest - 2)}…` : rest}`;
}
