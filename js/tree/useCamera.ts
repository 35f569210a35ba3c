// The camera of one tree: it follows the user's hand, the size of the canvas and each new layout.

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import {
  type Camera,
  differencesCamera,
  fitCamera,
  homeCamera,
  legible,
  outsideView,
  pathCamera,
  revealCamera,
  type Size,
} from "./camera";
import type { Bounds, Layout, Placed } from "./layout";
import { createZoom, type ZoomControl } from "./zoom";

/** What other components may do with the camera. */
export interface TreeControls {
  /** Shows the whole tree. */
  fit(): void;
  /** Shows the tree as at the first view. */
  home(): void;
  zoomBy(factor: number): void;
}

/** For hosts that cannot measure: about the tree's share of a notebook cell. */
const DEFAULT_SIZE: Size = { width: 720, height: 420 };

/** With more boxes than this their movement cannot be followed, and the browser is slow to lay out their text. */
export const LARGE = 150;

interface Seen {
  /** What lies outside the canvas. */
  outside: { differences: number; boxes: number };
  /** Of a large tree: the boxes that are drawn with their text. */
  near: ReadonlySet<string>;
}
const NOTHING: Seen = { outside: { differences: 0, boxes: 0 }, near: new Set() };

/** Calls back when the element gets another size; returns how to stop. */
function observeSize(element: Element, resized: () => void): () => void {
  if (typeof ResizeObserver === "undefined") return () => {};
  const observer = new ResizeObserver(resized);
  observer.observe(element);
  return () => observer.disconnect();
}

/** The camera that shows at `is` what the given one shows at `was`. */
function anchored({ k, x, y }: Camera, was: Placed, is: Placed): Camera {
  return { k, x: x + (was.x - is.x) * k, y: y + (was.y - is.y) * k };
}

const centered = ({ k }: Camera, { width, height }: Size, x: number, y: number): Camera => ({
  k,
  x: width / 2 - x * k,
  y: height / 2 - y * k,
});

/** What is in view, in the units of the layout, and who wants to know. */
function createView() {
  let view: Bounds | null = null;
  let hand = false;
  let watcher: ((view: Bounds, byHand: boolean) => void) | null = null;
  return {
    tell({ k, x, y }: Camera, { width, height }: Size, byHand: boolean) {
      view = { x0: -x / k, y0: -y / k, x1: (width - x) / k, y1: (height - y) / k };
      hand = byHand;
      watcher?.(view, hand);
    },
    /** Calls back now and at every move; returns how to stop. */
    watch(moved: (view: Bounds, byHand: boolean) => void): () => void {
      watcher = moved;
      if (view) moved(view, hand);
      return () => {
        watcher = null;
      };
    },
  };
}

const seenIn = (layout: Layout, camera: Camera, size: Size): Partial<Seen> => ({
  outside: outsideView(layout, camera, size),
  ...(layout.boxes.length > LARGE && { near: legible(layout, camera, size) }),
});

/** A node that is folded away, or half of a pair, is where the box around it is: ids are paths. */
function boxesOf({ byId }: Layout, ids: readonly string[]): Placed[] {
  const boxOf = (id: string): Placed | [] =>
    byId.get(id) ?? (id.length > 1 ? boxOf(id.slice(0, -1)) : []);
  return ids.flatMap(boxOf);
}

/** What the camera is to show, in whatever layout and size there will be. */
type Aim = (layout: Layout, size: Size, now: Camera) => Camera;

/** A canvas that grew or shrank by more than this, as on the whole screen, is another view. */
const OTHER_SIZE = 0.3;

function isOtherSize(one: Size, two: Size): boolean {
  const off = (a: number, b: number) => Math.abs(a - b) > OTHER_SIZE * Math.min(a, b);
  return off(one.width, two.width) || off(one.height, two.height);
}

/** What the camera can show. */
const aims = (aimAt: (aim: Aim) => void) => ({
  /** Shows the way to some boxes as large as it fits and can be read, and the boxes in any case. */
  frame: (path: readonly string[], ids: readonly string[]) =>
    aimAt((layout, size) => pathCamera(layout, boxesOf(layout, path), boxesOf(layout, ids), size)),
  fit: () => aimAt(fitCamera),
  /** Shows as many differences as can be made out, and of these boxes the first. */
  differences: (ids: readonly string[]) =>
    aimAt((layout, size) => differencesCamera(layout, size, boxesOf(layout, ids)[0])),
  home: () => aimAt(homeCamera),
});

/** `onSeen` is called after a move, `onSize` when the canvas has another size than the one it was called with. */
function createTreeCamera(onSeen: (seen: Partial<Seen>) => void, onSize: (size: Size) => void) {
  let zoom: ZoomControl | null = null;
  let layout: Layout | null = null;
  let size = DEFAULT_SIZE;
  let known: Size | null = null;
  let aim: Aim = homeCamera;
  /** Once the user has moved the camera, a new size does not move it, unless it is quite another one. */
  let byHand = false;
  const inView = createView();

  const look = (camera: Camera) => {
    if (!layout) return;
    inView.tell(camera, size, byHand);
    onSeen(seenIn(layout, camera, size));
  };
  const take = (glide: boolean) => {
    if (layout && zoom) zoom.moveTo(aim(layout, size, zoom.camera()), glide);
  };
  const aimAt = (next: Aim) => {
    aim = next;
    byHand = false;
    take(true);
  };
  const resize = ({ clientWidth: width, clientHeight: height }: Element) => {
    if (!zoom || !(width > 0 && height > 0)) return;
    size = { width, height };
    if (!known || isOtherSize(known, size)) {
      byHand &&= known === null;
      known = size;
      onSize(size);
    }
    if (!byHand) take(false);
    look(zoom.camera());
  };

  return {
    ...aims(aimAt),
    /** Takes hold of the canvas; returns how to let go of it. */
    attach(svg: SVGSVGElement, layer: SVGGElement): () => void {
      let frame = 0;
      const control = createZoom(
        svg,
        layer,
        () => size,
        (camera, hand) => {
          byHand ||= hand;
          cancelAnimationFrame(frame);
          frame = requestAnimationFrame(() => look(camera));
        },
      );
      zoom = control;
      resize(svg);
      const stopObserving = observeSize(svg, () => resize(svg));
      return () => {
        cancelAnimationFrame(frame);
        stopObserving();
        control.dispose();
      };
    },
    /** Frames the first layout, and one that needs it; in others the anchor stays where it was. */
    show(next: Layout | null, anchor: string | null, reframe: boolean) {
      const before = layout;
      layout = next;
      if (!next || !zoom) return;
      const was = before?.byId.get(anchor ?? "");
      const is = next.byId.get(anchor ?? "");
      if (!before || reframe) take(false);
      else if (was && is) zoom.moveTo(anchored(zoom.camera(), was, is), true);
      else if (!byHand) take(true);
      look(zoom.camera());
    },
    /** Moves as little as brings the boxes into view; they stay there when the size changes. */
    reveal(ids: readonly string[]) {
      const next: Aim = (layout, size, now) => revealCamera(boxesOf(layout, ids), now, size);
      if (!zoom || !layout) return;
      const camera = zoom.camera();
      const { x, y } = next(layout, size, camera);
      if (x !== camera.x || y !== camera.y) aimAt(next);
    },
    watch: inView.watch,
    /** Brings this point of the layout into the middle. */
    center(x: number, y: number) {
      byHand = true;
      zoom?.moveTo(centered(zoom.camera(), size, x, y), false);
    },
    /** From now on the camera is the user's. */
    takeOver() {
      byHand = true;
    },
    zoomBy(factor: number) {
      byHand = true;
      zoom?.zoomBy(factor);
    },
  };
}

export type TreeCamera = ReturnType<typeof createTreeCamera>;

export function useCamera(svg: RefObject<SVGSVGElement>, layer: RefObject<SVGGElement>) {
  const [seen, setSeen] = useState(NOTHING);
  /** The size of the canvas, until it is quite another one: what is folded to fit into it. */
  const [room, setRoom] = useState<Size | null>(null);
  const [camera] = useState(() =>
    createTreeCamera((change) => setSeen((now) => ({ ...now, ...change })), setRoom),
  );
  useLayoutEffect(() => {
    if (svg.current && layer.current) return camera.attach(svg.current, layer.current);
  }, [camera, svg, layer]);
  return { camera, room, ...seen };
}
