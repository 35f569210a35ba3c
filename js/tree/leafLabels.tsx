// How a leaf label is drawn: its colour, hatched where the leaf is impure, and its bar.

import { memo } from "../ui/memo";
import { BAND, type LeafLabel, leafLabelsOf } from "./content";
import type { Placed } from "./layout";

/** Width of the mark that stands for a number. */
const PLACE = 5;

/** Colour at the left edge: full for a pure leaf, hatched for an impure one. */
export function Band({
  leafLabel,
  y,
  h,
  uid,
}: {
  leafLabel: LeafLabel;
  y: number;
  h: number;
  uid: string;
}) {
  const { color, doubt } = leafLabel;
  const fill = doubt === null ? color : `url(#${hatchId(uid, color)})`;
  return <rect class="imd-band" x="1" y={y} width={BAND} height={h} style={{ fill }} />;
}

/** For a class a bar as long as its share; for a number a mark at its place between low and high. */
export function Bar({
  leafLabel,
  x,
  y,
  w,
}: {
  leafLabel: LeafLabel;
  x: number;
  y: number;
  w: number;
}) {
  const { kind, at } = leafLabel.bar;
  const style = { fill: leafLabel.color };
  return (
    <>
      <rect class="imd-bar-rest" x={x} y={y} width={w} height="3" rx="1.5" />
      {kind === "share" ? (
        <rect class="imd-bar" x={x} y={y} width={w * at} height="3" rx="1.5" style={style} />
      ) : (
        <rect
          class="imd-place"
          x={x + (w - PLACE) * at}
          y={y - 2}
          width={PLACE}
          height="7"
          rx="2"
          style={style}
        />
      )}
    </>
  );
}

/** The id of the pattern for a colour, which all boxes of that colour share. */
function hatchId(uid: string, color: string): string {
  return `${uid}-hatch-${color.slice(1)}`;
}

/** The patterns that are used, and no others: a diff may have hundreds of classes. */
export const Hatches = memo(({ boxes, uid }: { boxes: readonly Placed[]; uid: string }) => {
  const hatched = boxes.flatMap(({ content }) =>
    leafLabelsOf(content).filter(({ doubt }) => doubt !== null),
  );
  return (
    <defs>
      {[...new Set(hatched.map(({ color }) => color))].map((color) => (
        <pattern
          key={color}
          id={hatchId(uid, color)}
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="5" height="5" class="imd-hatch-ground" />
          <rect width="3" height="5" style={{ fill: color }} />
        </pattern>
      ))}
    </defs>
  );
});
