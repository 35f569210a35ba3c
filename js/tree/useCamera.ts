// The camera of one tree: it follows the user's hand, the size of the canvas and each new layout.

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import {
  type Camera,
  fitCamera,
  homeCamera,
  legible,
  outsideView,
  pathCamera,
  revealCamera,
  type Size,
} from "./camera";
import type { Layout, Placed } from "./layout";
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

/** `onSeen` is called after a move, `onSize` when the canvas has a size. */
function createTreeCamera(onSeen: (seen: Partial<Seen>) => void, onSize: (size: Size) => void) {
  let zoom: ZoomControl | null = null;
  let layout: Layout | null = null;
  let size = DEFAULT_SIZE;
  /** Once the user has moved the camera, a new size does not move it. */
  let byHand = false;

  const look = (camera: Camera) => {
    if (!layout) return;
    const large = layout.boxes.length > LARGE;
    onSeen({
      outside: outsideView(layout, camera, size),
      ...(large && { near: legible(layout, camera, size) }),
    });
  };
  const goHome = (glide: boolean) => {
    if (layout) zoom?.moveTo(homeCamera(layout, size), glide);
  };
  const resize = ({ clientWidth: width, clientHeight: height }: Element) => {
    if (!zoom || !(width > 0 && height > 0)) return;
    size = { width, height };
    onSize(size);
    if (!byHand) goHome(false);
    look(zoom.camera());
  };

  return {
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
      if (!before || reframe) goHome(false);
      else if (was && is) zoom.moveTo(anchored(zoom.camera(), was, is), true);
      look(zoom.camera());
    },
    /** Moves as little as brings the boxes into view. With `keep` they stay there when the size changes. */
    reveal(boxes: readonly Placed[], keep: boolean) {
      if (!zoom) return;
      const camera = zoom.camera();
      const next = revealCamera(boxes, camera, size);
      if (next.x === camera.x && next.y === camera.y) return;
      byHand ||= keep;
      zoom.moveTo(next, true);
    },
    /** Shows the way to some boxes as large as it fits and can be read, and the boxes in any case. */
    frame(path: readonly Placed[], boxes: readonly Placed[]) {
      if (!zoom || !layout) return;
      byHand = true;
      zoom.moveTo(pathCamera(layout, path, boxes, size), true);
    },
    /** From now on the camera is the user's. */
    takeOver() {
      byHand = true;
    },
    fit() {
      byHand = true;
      if (layout) zoom?.moveTo(fitCamera(layout, size), true);
    },
    home() {
      byHand = false;
      goHome(true);
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
  /** The first size of the canvas: what is folded to fit into it. */
  const [room, setRoom] = useState<Size | null>(null);
  const [camera] = useState(() =>
    createTreeCamera(
      (change) => setSeen((now) => ({ ...now, ...change })),
      (size) => setRoom((known) => known ?? size),
    ),
  );
  useLayoutEffect(() => {
    if (svg.current && layer.current) return camera.attach(svg.current, layer.current);
  }, [camera, svg, layer]);
  return { camera, room, ...seen };
}
