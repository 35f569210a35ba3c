// Mouse, wheel and fingers to a camera (d3-zoom), and back.

import { select } from "d3-selection";
import { zoom, zoomIdentity, zoomTransform } from "d3-zoom";
import { type Camera, SCALES, type Size } from "./camera";

/** The same as in style.css: boxes and camera must move together. */
const GLIDE_MS = 180;

export interface ZoomControl {
  camera(): Camera;
  moveTo(camera: Camera, glide: boolean): void;
  zoomBy(factor: number): void;
  dispose(): void;
}

/** A wheel notch is about 100, a pinch arrives as Ctrl + wheel in steps of a few. */
function wheelDelta(event: WheelEvent): number {
  const unit = event.deltaMode === 1 ? 0.05 : event.deltaMode ? 1 : 0.002;
  const pinch = event.deltaMode === 0 && Math.abs(event.deltaY) < 30 ? 5 : 1;
  return -event.deltaY * unit * pinch;
}

/** `moved` tells a hand on the mouse from our own moves: after that the view is the user's. */
export function createZoom(
  svg: SVGSVGElement,
  layer: SVGGElement,
  size: () => Size,
  changed: (camera: Camera, byHand: boolean) => void,
): ZoomControl {
  const surface = select(svg);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const glideOn = (on: boolean) => {
    clearTimeout(timer);
    layer.classList.toggle("is-gliding", on);
    if (on) timer = setTimeout(() => layer.classList.remove("is-gliding"), GLIDE_MS + 40);
  };
  const behavior = zoom<SVGSVGElement, unknown>()
    .scaleExtent(SCALES)
    .extent(() => [
      [0, 0],
      [size().width, size().height],
    ])
    .clickDistance(4)
    .wheelDelta(wheelDelta)
    .filter((event: MouseEvent) =>
      event.type === "wheel" ? event.ctrlKey || event.metaKey : !event.button && !event.ctrlKey,
    )
    .on("zoom", (event: { transform: Camera; sourceEvent: unknown }) => {
      const { k, x, y } = event.transform;
      if (event.sourceEvent) glideOn(false);
      layer.style.transform = `translate(${x}px, ${y}px) scale(${k})`;
      changed({ k, x, y }, Boolean(event.sourceEvent));
    });
  surface.call(behavior).on("dblclick.zoom", null);

  return {
    camera: () => {
      const { k, x, y } = zoomTransform(svg);
      return { k, x, y };
    },
    moveTo(camera, glide) {
      glideOn(glide);
      behavior.transform(surface, zoomIdentity.translate(camera.x, camera.y).scale(camera.k));
    },
    zoomBy(factor) {
      glideOn(true);
      behavior.scaleBy(surface, factor);
    },
    dispose() {
      clearTimeout(timer);
      surface.on(".zoom", null);
    },
  };
}
