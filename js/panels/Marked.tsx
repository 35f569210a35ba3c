import { type Piece, pieces } from "../text/words";

/** A text with some words marked. */
export function Marked({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return <>{text}</>;
  return <MarkedPieces pieces={pieces(text, words)} />;
}

/** A text in pieces, some of them marked. */
export function MarkedPieces({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <>{pieces.map((piece, i) => (piece.marked ? <mark key={i}>{piece.text}</mark> : piece.text))}</>
  );
}
