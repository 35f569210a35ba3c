// Everything above the diff of a pair: what the matrix is about, the matrix, the cell that is looked at, and sentences.

import type { ComponentChildren } from "preact";
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import type { ComparisonView, MatrixOrder } from "../protocol/types";
import { plural } from "../text/format";
import { Button } from "../ui/Button";
import { Matrix, nameOf } from "./Matrix";
import { detailFor, type Place, starWords, tenths } from "./words";
import "./Models.css";

interface ModelsProps {
  view: ComparisonView;
  matrixOrder: MatrixOrder;
  pair: readonly number[];
  onOrder(order: MatrixOrder): void;
  onOpen(place: Place, byKey: boolean): void;
  /** Buttons: what can be saved, full screen and help. */
  children: ComponentChildren;
}

export function Models({ view, matrixOrder, pair, onOrder, onOpen, children }: ModelsProps) {
  const [pointed, setPointed] = useState<Place | null>(null);
  const similar = matrixOrder === "similarity";
  const order = useMemo(
    () => (similar ? view.order : view.names.map((_, model) => model)),
    [view, similar],
  );
  const latest = useRef(onOpen);
  latest.current = onOpen;
  const open = useCallback((place: Place, byKey: boolean) => latest.current(place, byKey), []);
  return (
    <section class="imd-models" aria-label="All models">
      <div class="imd-top">
        <p class="imd-first">{titleOf(view)}</p>
        {children}
      </div>
      {order.length > 2 && (
        <Button
          class="imd-toggle"
          data-testid="imd-order"
          aria-pressed={similar}
          title="Place similar models side by side; turn off for the original order"
          onClick={() => onOrder(similar ? "given" : "similarity")}
        >
          <i aria-hidden="true" />
          Group similar models
        </Button>
      )}
      <div class="imd-models-scroll">
        <Matrix view={view} order={order} pair={pair} onOpen={open} onPoint={setPointed} />
      </div>
      <p class="imd-pointed" data-testid="imd-pointed">
        {pointed ? nameOf(view, pointed) : hintOf(view)}
      </p>
      <div class="imd-about" data-testid="imd-about">
        {view.sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {view.skipped.map(({ name, reason }) => (
          <p key={name} class="imd-skipped">
            {name} was skipped: {reason}
          </p>
        ))}
      </div>
    </section>
  );
}

function titleOf({ names, n_rows, differs }: ComparisonView): string {
  const differ = differs ? `is ${differs}` : "differs";
  return `${names.length} models, ${plural(n_rows, "row")}: share of rows on which each pair ${differ}`;
}

/** The line below the matrix while no cell is pointed at. */
function hintOf(view: ComparisonView): string {
  const { names, shares, scores, score_name, openable, apart } = view;
  const strongest =
    detailFor(names.length) === "shade"
      ? ` The strongest shade is ${tenths(Math.max(...shares.flat()))}.`
      : "";
  const diagonal = scores ? ` Diagonal: ${score_name}, ★ ${starWords(view)}.` : "";
  const tied = apart?.some((row, i) => row.some((told, j) => i !== j && !told))
    ? ` Dotted: their ${score_name} cannot be told apart.`
    : "";
  const which = openable ? "framed cell" : "cell";
  return `Click a ${which} to see where the two models differ.${strongest}${diagonal}${tied}`;
}
