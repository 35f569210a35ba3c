// One row to read: both outputs side by side, the words marked in which they differ, then every
// column in full, with the words of the selected rules marked.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RowsPage } from "../protocol/types";
import { differing } from "../text/differing";
import { count } from "../text/format";
import { Button } from "../ui/Button";
import { copyText } from "../ui/clipboard";
import { Marked, MarkedPieces } from "./Marked";
import { cutAfter, wholeText } from "./rowTexts";
import "./RowReader.css";

interface RowReaderProps {
  rows: RowsPage;
  /** Place of the row on the page. */
  at: number;
  /** For each listed column, the words to mark. */
  words: readonly (readonly string[])[];
  onMove: (at: number) => void;
  onClose: () => void;
}

function CutNote({ text }: { text: string }) {
  const most = cutAfter(text);
  if (most === undefined) return null;
  return <dd class="imd-reader-cut">Cut after {count(most)} characters.</dd>;
}

export function RowReader({ rows, at, words, onMove, onClose }: RowReaderProps) {
  const [copied, setCopied] = useState(false);
  const near = useRef<HTMLElement>(null);
  // Focus moves into the reader, so that the arrow keys and Escape reach it.
  useEffect(() => near.current?.focus(), []);
  const fields = rows.columns.map((name, column) => ({
    name,
    column,
    role: rows.roles?.[column] ?? "column",
    text: wholeText(rows, at, column),
  }));
  const outputs = fields.filter(({ role }) => role === "output1" || role === "output2");
  const others = fields.filter((field) => !outputs.includes(field));
  const [first, second] = [outputs[0]?.text ?? "", outputs[1]?.text ?? ""];
  const marked = useMemo(() => differing(first, second), [first, second]);
  const last = rows.positions.length - 1;
  const move = (to: number) => {
    if (to >= 0 && to <= last) onMove(to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, () => void> = {
      Escape: onClose,
      ArrowLeft: () => move(at - 1),
      ArrowRight: () => move(at + 1),
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    step();
  };
  const copy = async () => {
    const text = fields.map(({ name, text }) => `${name}: ${text}`).join("\n");
    if (near.current) setCopied(await copyText(text, near.current));
  };
  return (
    <section
      class="imd-reader"
      data-testid="imd-reader"
      aria-label={`Row ${rows.labels[at]}`}
      ref={near}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <div class="imd-reader-bar">
        <Button data-testid="imd-reader-close" title="Back to all rows" onClick={onClose}>
          Back
        </Button>
        <b>
          Row {rows.labels[at]}
          {rows.differs[at] && " ≠"}
        </b>
        <Button title="Previous row" aria-disabled={at === 0} onClick={() => move(at - 1)}>
          ‹
        </Button>
        <Button title="Next row" aria-disabled={at === last} onClick={() => move(at + 1)}>
          ›
        </Button>
        <Button onClick={copy}>{copied ? "Copied" : "Copy"}</Button>
      </div>
      <div class="imd-reader-text">
        <dl class="imd-reader-outputs">
          {outputs.map(({ name, text, column }, i) => (
            <div key={column}>
              <dt>{name}</dt>
              <dd>{marked ? <MarkedPieces pieces={marked[i] ?? []} /> : text}</dd>
              <CutNote text={text} />
            </div>
          ))}
        </dl>
        <dl>
          {others.map(({ name, text, column }) => (
            <div key={column}>
              <dt>{name}</dt>
              <dd>
                <Marked text={text} words={words[column] ?? []} />
              </dd>
              <CutNote text={text} />
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}
