// The difference of the models over two columns: a table whose cells are coloured, read with the mouse or the arrow keys.

import { useState } from "preact/hooks";
import type { MapView } from "../protocol/types";
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

/** The cell with the largest difference. */
export function strongest(difference: readonly (readonly number[])[]): Cell {
  let found = { row: 0, column: 0, size: -1 };
  for (const [row, values] of difference.entries())
    for (const [column, value] of values.entries())
      if (Math.abs(value) > found.size) found = { row, column, size: Math.abs(value) };
  return found;
}

export function HeatMap({ map, busy }: { map: MapView; busy: boolean }) {
  const { names } = useDiff().view;
  const [at, setAt] = useState<Cell | null>(null);
  const { x, y, difference, support } = map;
  const most = Math.max(...difference.flat().map(Math.abs)) || 1;
  const shares = Math.max(...support.flat()) || 1;
  const signed = signedOn(most);
  const read = at ?? strongest(difference);
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
        {y.column} down, {x.column} across. <i class="is-more" aria-hidden="true" /> {names[0]}{" "}
        higher <i class="is-less" aria-hidden="true" /> {names[1]} higher; dots: share of the rows
        {[...x.inside, ...y.inside].includes(false) && "; bold: inside the rule"}.
      </p>
      <table
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read its cells
        tabIndex={0}
        aria-label={`${names[0]} − ${names[1]} by ${y.column} and ${x.column}; arrow keys read the cells`}
        onKeyDown={onKeyDown}
        onBlur={() => setAt(null)}
        onMouseLeave={() => setAt(null)}
      >
        <thead>
          <tr>
            <td />
            {x.texts.map((text, i) => (
              <th key={i} scope="col" class={x.inside[i] ? "is-inside" : undefined}>
                <span>{text}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {y.texts.map((text, row) => (
            <tr key={row}>
              <th scope="row" class={y.inside[row] ? "is-inside" : undefined}>
                <span>{text}</span>
              </th>
              {difference[row]?.map((value, column) => (
                <td
                  key={column}
                  class={`${value < 0 ? "is-less" : "is-more"}${read.row === row && read.column === column ? " is-read" : ""}`}
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
        {!at && "Largest difference: "}
        {x.column} {x.texts[read.column]}, {y.column} {y.texts[read.row]}: {names[0]}{" "}
        {rough(map.first[read.row]?.[read.column] ?? 0)}, {names[1]}{" "}
        {rough(map.second[read.row]?.[read.column] ?? 0)};{" "}
        {percent(support[read.row]?.[read.column] ?? 0)} of the rows
      </p>
    </div>
  );
}
