import { pieces } from "../text/words";

/** A text with some words marked. */
export function Marked({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return <>{text}</>;
  return (
    <>
      {pieces(text, words).map((piece, i) =>
        piece.marked ? <mark key={i}>{piece.text}</mark> : piece.text,
      )}
    </>
  );
}
