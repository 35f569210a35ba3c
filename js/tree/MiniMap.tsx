// A small map of the whole tree with the view as a frame, for a tree that is larger than its canvas.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Size } from "./camera";
import type { Bounds, Layout, Placed } from "./layout";
import { holdsDifference } from "./visible";
import "./MiniMap.css";

/** The map in pixels, at most; on a small canvas a share of it. */
const LARGEST: Size = { width: 150, height: 96 };
const SHARE: Size = { width: 1 / 3, height: 1 / 7 };
/** Around the tree, in pixels of the map. */
const EDGE = 4;
/** No box is drawn smaller than this, in pixels of the map. */
const DOT = 2;
/** Share of the view that an arrow key moves by. */
const STEP = 0.25;

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

type Corner = readonly ["right" | "left", "bottom" | "top"];
/** Where the map may be: the first of those that cover least. */
const CORNERS: readonly [Corner, ...Corner[]] = [
  ["right", "bottom"],
  ["right", "top"],
  ["left", "bottom"],
  ["left", "top"],
];
/** Distance of the map from the edges of the canvas, in pixels, as in the style sheet. */
const AWAY = 12;
/** A box that one looks at counts as much as so many others. */
const LOOKED_AT = 100;

/** The map and its distance from the edges, as shares of the canvas. */
const shareOf = (map: Size, canvas: Size): Size => ({
  width: (map.width + AWAY) / canvas.width,
  height: (map.height + AWAY) / canvas.height,
});

/** The corner of the view in which the map covers the fewest boxes. */
export function freestCorner(
  { boxes }: Pick<Layout, "boxes">,
  focus: readonly string[],
  view: Bounds,
  map: Size,
): Corner {
  const [width, height] = [(view.x1 - view.x0) * map.width, (view.y1 - view.y0) * map.height];
  const covered = ([side, end]: Corner) => {
    const x = side === "left" ? view.x0 : view.x1 - width;
    const y = end === "top" ? view.y0 : view.y1 - height;
    let found = 0;
    for (const { box, ...at } of boxes)
      if (
        at.x < x + width &&
        at.x + at.w > x &&
        at.y - at.h / 2 < y + height &&
        at.y + at.h / 2 > y
      )
        found += focus.includes(box.id) ? LOOKED_AT : 1;
    return found;
  };
  return CORNERS.map((corner) => ({ corner, n: covered(corner) })).reduce((best, other) =>
    other.n < best.n ? other : best,
  ).corner;
}

interface MiniMapProps {
  layout: Layout;
  canvas: Size;
  /** What one looks at: the map does not cover it if it can be elsewhere. */
  focus: readonly string[];
  /** Calls back with what is in view, in the units of the layout, now and at every move; returns how to stop. */
  watch(moved: (view: Bounds, byHand: boolean) => void): () => void;
  /** Brings this point into the middle of the view. */
  onMove(x: number, y: number): void;
}

export function MiniMap({ layout, canvas, focus, watch, onMove }: MiniMapProps) {
  const [corner, setCorner] = useState<Corner>(CORNERS[0]);
  const frame = useRef<SVGRectElement>(null);
  const view = useRef<Bounds | null>(null);
  const { x0, y0, x1, y1 } = layout.bounds;
  const most = (side: keyof Size) => Math.min(LARGEST[side], canvas[side] * SHARE[side]);
  const k = Math.min(most("width") / (x1 - x0), most("height") / (y1 - y0));
  const marks = useMemo(() => {
    const [plain, differing] = [[], []] as [Placed[], Placed[]];
    for (const placed of layout.boxes)
      (holdsDifference(placed.box) ? differing : plain).push(placed);
    return [rects(plain, k), rects(differing, k)];
  }, [layout, k]);
  const [width, height] = [(x1 - x0) * k + 2 * EDGE, (y1 - y0) * k + 2 * EDGE];
  const map = useMemo(() => shareOf({ width, height }, canvas), [width, height, canvas]);
  useLayoutEffect(
    () =>
      watch((now, byHand) => {
        view.current = now;
        // under the user's hand the map stays where it is
        if (!byHand) setCorner(freestCorner(layout, focus, now, map));
        const size = { x: now.x0, y: now.y0, width: now.x1 - now.x0, height: now.y1 - now.y0 };
        for (const [name, value] of Object.entries(size))
          frame.current?.setAttribute(name, String(value * k));
      }),
    [watch, k, layout, focus, map],
  );
  const follow = (event: PointerEvent) => {
    const map = event.currentTarget as Element;
    if (event.type === "pointerdown") map.setPointerCapture?.(event.pointerId);
    else if (event.buttons === 0) return;
    const { left, top } = map.getBoundingClientRect();
    onMove(x0 + (event.clientX - left - EDGE) / k, y0 + (event.clientY - top - EDGE) / k);
  };
  const step = (event: KeyboardEvent) => {
    const by = ARROWS[event.key];
    const now = view.current;
    if (!by || !now) return;
    event.preventDefault();
    const [width, height] = [now.x1 - now.x0, now.y1 - now.y0];
    onMove((now.x0 + now.x1) / 2 + by[0] * width, (now.y0 + now.y1) / 2 + by[1] * height);
  };
  return (
    <svg
      class={`imd-minimap is-${corner.join(" is-")}`}
      data-testid="imd-minimap"
      role="application"
      aria-label="Map of the whole tree: arrow keys move the view"
      tabindex={0}
      width={width}
      height={height}
      viewBox={[x0 * k - EDGE, y0 * k - EDGE, width, height].join(" ")}
      onPointerDown={follow}
      onPointerMove={follow}
      onKeyDown={step}
    >
      <title>Drag the frame to move the view</title>
      <path class="imd-minimap-box" d={marks[0]} />
      <path class="imd-minimap-box is-differing" d={marks[1]} />
      <rect ref={frame} class="imd-minimap-frame" rx="2" />
    </svg>
  );
}

/** One path for all boxes: a tree can have a thousand. */
function rects(boxes: readonly Placed[], k: number): string {
  return boxes
    .map(({ x, y, w, h }) => {
      const [width, height] = [Math.max(DOT, w * k), Math.max(DOT, h * k)];
      const [left, top] = [x * k, y * k - height / 2].map((at) => at.toFixed(1));
      return `M${left},${top}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;
    })
    .join("");
}
