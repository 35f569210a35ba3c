// The difference of the models over two columns: a table whose cells are coloured, read with the mouse or the arrow keys.

import { useState } from "preact/hooks";
import type { AxisView, MapView } from "../protocol/types";
import { useDiff } from "../state/context";
import { percent, rough, signedOn } from "../text/format";

interface Cell {
  row: number;
  column: number;
}

const STEPS: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Marks what the rule has of an axis; nothing if it has all. */
const insideClass = ({ inside }: AxisView, at: number) =>
  inside[at] && inside.includes(false) ? "is-inside" : undefined;

export function HeatMap({ map, busy }: { map: MapView; busy: boolean }) {
  const { names } = useDiff().view;
  const [at, setAt] = useState<Cell | null>(null);
  const { x, y, difference, support } = map;
  const most = Math.max(...difference.flat().map(Math.abs)) || 1;
  const shares = Math.max(...support.flat()) || 1;
  const signed = signedOn(most);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const inside = (value: number, length: number) => Math.min(length - 1, Math.max(0, value));
    const row = at ? inside(at.row + step[0], y.texts.length) : 0;
    setAt({ row, column: at ? inside(at.column + step[1], x.texts.length) : 0 });
  };
  return (
    <div class={busy ? "imd-map is-busy" : "imd-map"} data-testid="imd-map">
      <p>{map.text}</p>
      <p class="imd-why-key">
        {y.column} down, {x.column} across. <i class="is-more" aria-hidden="true" />{" "}
        {names[1] === undefined ? "high" : `${names[0]} higher`}{" "}
        <i class="is-less" aria-hidden="true" />{" "}
        {`${names[1] ? `${names[1]} higher` : "below 0"}; `}
        dots: share of the rows
        {[...x.inside, ...y.inside].includes(false) && "; bold: inside the rule"}.
      </p>
      <table
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read its cells
        tabIndex={0}
        aria-label={`${names.join(" − ")} by ${y.column} and ${x.column}; arrow keys read the cells`}
        onKeyDown={onKeyDown}
        onBlur={() => setAt(null)}
        onMouseLeave={() => setAt(null)}
      >
        <thead>
          <tr>
            <td />
            {x.texts.map((text, i) => (
              <th key={i} scope="col" class={insideClass(x, i)}>
                <span>{text}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {y.texts.map((text, row) => (
            <tr key={row}>
              <th scope="row" class={insideClass(y, row)}>
                <span>{text}</span>
              </th>
              {difference[row]?.map((value, column) => (
                <td
                  key={column}
                  class={`${value < 0 ? "is-less" : "is-more"}${at?.row === row && at.column === column ? " is-read" : ""}`}
                  style={{ "--imd-share": Math.abs(value) / most }}
                  onMouseEnter={() => setAt({ row, column })}
                >
                  <span class="imd-aloud">{signed(value)}</span>
                  <i
                    aria-hidden="true"
                    style={{ "--imd-dot": Math.sqrt((support[row]?.[column] ?? 0) / shares) }}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="imd-reading" aria-live="polite" data-testid="imd-map-reading">
        {at ? readAt(map, at, names) : "Point at a cell, or use the arrow keys, to read it."}
      </p>
    </div>
  );
}

/** What both models give in a cell. */
function readAt({ x, y, first, second, support }: MapView, at: Cell, names: readonly string[]) {
  const of = (values: readonly number[][]) => values[at.row]?.[at.column] ?? 0;
  const both = names.map((name, side) => `${name} ${rough(of(side ? second : first))}`).join(", ");
  const where = `${x.column} ${x.texts[at.column]}, ${y.column} ${y.texts[at.row]}`;
  return `${where}: ${both}; ${percent(of(support))} of the rows`;
}
