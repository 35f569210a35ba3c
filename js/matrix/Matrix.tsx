// The matrix of models: a cell for each pair, with the share of rows on which the two differ. Arrow keys move in it, Enter
// and a click open a pair.

import { useRef, useState } from "preact/hooks";
import type { ComparisonView } from "../protocol/types";
import { cutMiddle } from "../tree/measure";
import { memo } from "../ui/memo";
import { cellAfter } from "./keys";
import {
  canOpen,
  cellSentence,
  cellText,
  type Detail,
  detailFor,
  isTied,
  type Place,
  shareOf,
} from "./words";
import "./Matrix.css";

/** Letters of a name that a header has room for. */
const LETTERS: Record<Detail, number> = { tenths: 20, whole: 16, shade: 16 };

/** A power below 1 tells small shares apart, which are many. */
const EVEN = 0.7;

const isSame = (one: readonly number[], two: readonly number[]) => one.join() === two.join();

interface MatrixProps {
  view: ComparisonView;
  /** Numbers of the models as they are listed. */
  order: readonly number[];
  /** The pair whose diff is shown; [] for none. */
  pair: readonly number[];
  /** Opens a pair; `byKey`: the focus goes to it. */
  onOpen(place: Place, byKey: boolean): void;
  /** Says which cell the mouse or the focus is on. */
  onPoint(place: Place | null): void;
}

/** Drawn again if another pair is open or the order changes, not for every cell that the mouse is on. */
export const Matrix = memo(Grid);

function Grid({ view, order, pair, onOpen, onPoint }: MatrixProps) {
  const table = useRef<HTMLTableElement>(null);
  const start = (pair.length ? pair : [order[0] ?? 0, order[1] ?? 0]) as Place;
  const [own, setOwn] = useState<Place | null>(null);
  /** The one cell that can be reached with Tab. */
  const at = own ?? start;
  const detail = detailFor(order.length);
  const largest = Math.max(...view.shares.flat());

  const placeOf = ({ target }: Event): Place | null => {
    const cell = (target as Element).closest<HTMLElement>("[data-place]");
    const [i = 0, j = 0] = cell?.dataset.place?.split(",").map(Number) ?? [];
    return cell && [i, j];
  };
  const point = (event: Event) => onPoint(placeOf(event));
  const open = (place: Place, byKey: boolean) => canOpen(view, place) && onOpen(place, byKey);
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    const from = placeOf(event) ?? at;
    const cell = [order.indexOf(from[0]), order.indexOf(from[1])] as const;
    const next = altKey ? null : cellAfter(cell, key, ctrlKey || metaKey, order.length);
    if (key === "Enter" || key === " ") open(from, true);
    else if (next) {
      const place: Place = [order[next[0]] ?? 0, order[next[1]] ?? 0];
      setOwn(place);
      table.current?.querySelector<HTMLElement>(`[data-place="${place}"]`)?.focus();
    } else return;
    event.preventDefault();
  };
  const cell = (place: Place) => (
    <td
      key={place[1]}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid
      role="gridcell"
      data-place={place.join()}
      class={place[0] === place[1] ? "is-own" : isTied(view, place) ? "is-tied" : undefined}
      tabIndex={isSame(place, at) ? 0 : -1}
      aria-label={nameOf(view, place)}
      aria-selected={place[0] === place[1] ? undefined : isSame(place, pair)}
      aria-disabled={place[0] !== place[1] && !canOpen(view, place) ? true : undefined}
      style={{ "--imd-share": largest ? (shareOf(view, place) / largest) ** EVEN : 0 }}
    >
      {cellText(view, place, detail)}
    </td>
  );
  return (
    <table
      ref={table}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells are reached with the arrow keys
      role="grid"
      class={`is-${detail}`}
      data-testid="imd-matrix"
      data-closed={view.openable !== null}
      aria-label="Share of rows on which two models differ"
      style={{ "--imd-models": order.length }}
      onKeyDown={onKeyDown}
      onFocusIn={(event) => {
        setOwn(placeOf(event));
        point(event);
      }}
      onFocusOut={() => onPoint(null)}
      onPointerOver={point}
      onPointerLeave={() => onPoint(null)}
      onClick={(event) => {
        const place = placeOf(event);
        if (place) open(place, false);
      }}
    >
      <thead>
        <tr>
          <td />
          {order.map((model) => (
            <Head key={model} scope="col" name={view.names[model]} detail={detail} />
          ))}
        </tr>
      </thead>
      <tbody>
        {order.map((row) => (
          <tr key={row}>
            <Head scope="row" name={view.names[row]} detail={detail} />
            {order.map((column) => cell([row, column]))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A cell in a sentence, with the reason why it does not open. */
export function nameOf(view: ComparisonView, place: Place): string {
  const sentence = `${cellSentence(view, place)}.`;
  const disabledReason = place[0] !== place[1] && !canOpen(view, place);
  return disabledReason && view.why_not ? `${sentence} ${view.why_not}` : sentence;
}

interface HeadProps {
  scope: "row" | "col";
  name: string | undefined;
  detail: Detail;
}

function Head({ scope, name = "", detail }: HeadProps) {
  return (
    <th scope={scope} title={name} aria-label={name}>
      <span>{cutMiddle(name, LETTERS[detail], (text) => Array.from(text).length)}</span>
    </th>
  );
}
