// Mouse, wheel and fingers to a camera. Pointer events make one or two fingers and a mouse the same thing.

import { type Camera, SCALES, type Size } from "./camera";

/** The same as in Node.css and TreeView.css: boxes and camera must move together. */
const GLIDE_MS = 180;
/** A hand that moves less than this clicks. */
const CLICK_PX = 4;

export interface ZoomControl {
  camera(): Camera;
  moveTo(camera: Camera, glide: boolean): void;
  zoomBy(factor: number): void;
  dispose(): void;
}

interface Point {
  x: number;
  y: number;
}

/** A wheel notch is about 100, a pinch on a touch pad arrives as Ctrl + wheel in steps of a few. */
function wheelFactor(event: WheelEvent): number {
  const unit = event.deltaMode === 1 ? 0.05 : event.deltaMode ? 1 : 0.002;
  const pinch = event.deltaMode === 0 && Math.abs(event.deltaY) < 30 ? 5 : 1;
  return 2 ** (-event.deltaY * unit * pinch);
}

/** The camera after what was at `from` has been moved to `to` and scaled by `factor` around it. */
export function moved({ k, x, y }: Camera, from: Point, to: Point, factor: number): Camera {
  const scale = Math.min(SCALES[1], Math.max(SCALES[0], k * factor));
  return { k: scale, x: to.x - ((from.x - x) * scale) / k, y: to.y - ((from.y - y) * scale) / k };
}

/** Where the pointers are: their middle, and how far apart they are. */
function gripOf(pointers: Iterable<Point>): { at: Point; spread: number } {
  const [one = { x: 0, y: 0 }, two = one] = pointers;
  return {
    at: { x: (one.x + two.x) / 2, y: (one.y + two.y) / 2 },
    spread: Math.hypot(two.x - one.x, two.y - one.y),
  };
}

type Listen = <K extends keyof SVGElementEventMap>(
  name: K,
  listener: (event: SVGElementEventMap[K]) => void,
  options?: AddEventListenerOptions,
) => void;

function pointIn(svg: SVGSVGElement, event: MouseEvent): Point {
  const { left, top } = svg.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
}

/** Calls `move` while one pointer drags, or two pinch. A drag ends in a click, which is not passed on. */
function listenToPointers(
  svg: SVGSVGElement,
  listen: Listen,
  move: (from: Point, to: Point, factor: number) => void,
): void {
  const pointers = new Map<number, Point>();
  let pressed: Point = { x: 0, y: 0 };
  let dragging = false;

  listen("pointerdown", (event) => {
    // The first finger of a touch: a pointer that is still here was lifted where no event reached the tree.
    if (event.isPrimary) pointers.clear();
    if (event.button !== 0 || event.ctrlKey || pointers.size === 2) return;
    pressed = pointIn(svg, event);
    pointers.set(event.pointerId, pressed);
    dragging = pointers.size === 2;
  });
  listen("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    // The button was released outside the tree, before the pointer was captured.
    if (event.pointerType === "mouse" && event.buttons === 0) {
      pointers.delete(event.pointerId);
      return;
    }
    const before = gripOf(pointers.values());
    const at = pointIn(svg, event);
    if (!dragging) {
      if (Math.hypot(at.x - pressed.x, at.y - pressed.y) < CLICK_PX) return;
      dragging = true;
    }
    // The pointer is captured when the drag begins; earlier, a click would lose its target.
    if (!svg.hasPointerCapture?.(event.pointerId)) svg.setPointerCapture?.(event.pointerId);
    pointers.set(event.pointerId, at);
    const now = gripOf(pointers.values());
    move(before.at, now.at, before.spread > 0 ? now.spread / before.spread : 1);
  });
  for (const name of ["pointerup", "pointercancel"] as const)
    listen(name, (event) => {
      pointers.delete(event.pointerId);
      // The click, if there is one, is dispatched before this timer runs.
      if (pointers.size === 0) setTimeout(() => (dragging = false));
    });
  listen(
    "click",
    (event) => {
      if (dragging) event.stopPropagation();
      dragging = false;
    },
    { capture: true },
  );
}

/** `changed` is told whether the user's hand moved the camera, or a call did. */
export function createZoom(
  svg: SVGSVGElement,
  layer: SVGGElement,
  size: () => Size,
  changed: (camera: Camera, byHand: boolean) => void,
): ZoomControl {
  let camera: Camera = { k: 1, x: 0, y: 0 };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = new AbortController();

  const put = (next: Camera, glide: boolean, byHand: boolean) => {
    camera = next;
    clearTimeout(timer);
    layer.classList.toggle("is-gliding", glide);
    if (glide) timer = setTimeout(() => layer.classList.remove("is-gliding"), GLIDE_MS + 40);
    layer.style.transform = `translate(${next.x}px, ${next.y}px) scale(${next.k})`;
    changed(next, byHand);
  };
  const listen: Listen = (name, listener, options) =>
    svg.addEventListener(name, listener, { ...options, signal: stop.signal });

  listenToPointers(svg, listen, (from, to, factor) =>
    put(moved(camera, from, to, factor), false, true),
  );
  listen(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const at = pointIn(svg, event);
      put(moved(camera, at, at, wheelFactor(event)), false, true);
    },
    { passive: false },
  );

  return {
    camera: () => camera,
    moveTo: (to, glide) => put(to, glide, false),
    zoomBy(factor) {
      const middle = { x: size().width / 2, y: size().height / 2 };
      put(moved(camera, middle, middle, factor), true, false);
    },
    dispose() {
      clearTimeout(timer);
      stop.abort();
    },
  };
}
