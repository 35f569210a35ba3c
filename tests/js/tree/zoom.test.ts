// A hand on the tree: the arithmetic of the camera, and what is a drag and what a click.

import { describe, expect, it, vi } from "vitest";
import { createZoom, moved } from "../../../js/tree/zoom";

const at = (x: number, y: number) => ({ x, y });

describe("moved", () => {
  const camera = { k: 0.5, x: 30, y: -20 };

  it("keeps what is under the hand under the hand", () => {
    const world = (c: typeof camera, p: { x: number; y: number }) => [
      (p.x - c.x) / c.k,
      (p.y - c.y) / c.k,
    ];
    const next = moved(camera, at(100, 80), at(140, 60), 1.7);
    expect(next.k).toBeCloseTo(0.85);
    expect(world(next, at(140, 60))[0]).toBeCloseTo(world(camera, at(100, 80))[0] as number);
    expect(world(next, at(140, 60))[1]).toBeCloseTo(world(camera, at(100, 80))[1] as number);
  });

  it("stays between the smallest and the largest scale", () => {
    expect(moved(camera, at(0, 0), at(0, 0), 1e9).k).toBe(4);
    expect(moved(camera, at(0, 0), at(0, 0), 1e-9).k).toBe(0.02);
  });
});

describe("createZoom", () => {
  function surface() {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const layer = document.createElementNS("http://www.w3.org/2000/svg", "g");
    svg.append(layer);
    document.body.append(svg);
    const clicked = vi.fn();
    svg.addEventListener("click", clicked);
    const changed = vi.fn();
    const zoom = createZoom(svg, layer, () => ({ width: 400, height: 300 }), changed);
    const point = (type: string, pointerId: number, x: number, y: number) => {
      const place = { pointerId, clientX: x, clientY: y, button: 0, bubbles: true };
      svg.dispatchEvent(new PointerEvent(type, { ...place, isPrimary: pointerId === 1 }));
    };
    return { svg, layer, zoom, changed, clicked, point };
  }

  it("pans with one pointer, and swallows the click at the end of it", () => {
    const { svg, zoom, clicked, point } = surface();
    point("pointerdown", 1, 10, 10);
    point("pointermove", 1, 60, 40);
    point("pointerup", 1, 60, 40);
    svg.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(zoom.camera()).toEqual({ k: 1, x: 50, y: 30 });
    expect(clicked).not.toHaveBeenCalled();
    svg.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(clicked).toHaveBeenCalledTimes(1);
  });

  it("takes a small move for a click", () => {
    const { svg, zoom, clicked, point } = surface();
    point("pointerdown", 1, 10, 10);
    point("pointermove", 1, 12, 11);
    point("pointerup", 1, 12, 11);
    svg.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(zoom.camera()).toEqual({ k: 1, x: 0, y: 0 });
    expect(clicked).toHaveBeenCalledTimes(1);
  });

  it("zooms with two, around their middle", () => {
    const { zoom, point } = surface();
    point("pointerdown", 1, 100, 100);
    point("pointerdown", 2, 200, 100);
    point("pointermove", 2, 300, 100);
    expect(zoom.camera().k).toBeCloseTo(2);
    // what was in the middle, at 150, is in the middle now, at 200
    expect(150 * 2 + zoom.camera().x).toBeCloseTo(200);
    point("pointerup", 1, 100, 100);
    point("pointermove", 2, 310, 100);
    expect(zoom.camera().k).toBeCloseTo(2);
  });

  it("forgets a finger that was lifted where no event reached it", () => {
    const { svg, zoom, clicked, point } = surface();
    point("pointerdown", 1, 100, 100);
    point("pointerdown", 2, 200, 100);
    point("pointerup", 1, 100, 100);
    point("pointerdown", 1, 50, 50);
    point("pointerup", 1, 50, 50);
    svg.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(clicked).toHaveBeenCalledTimes(1);
    expect(zoom.camera().k).toBe(1);
  });

  it("leaves the plain wheel to the page", () => {
    const { svg, zoom } = surface();
    const wheel = (ctrlKey: boolean) => {
      // made by hand: the constructor of this DOM forgets the keys
      const event = new WheelEvent("wheel", { deltaY: -100, cancelable: true, bubbles: true });
      Object.defineProperty(event, "ctrlKey", { value: ctrlKey });
      svg.dispatchEvent(event);
      return event.defaultPrevented;
    };
    expect(wheel(false)).toBe(false);
    expect(zoom.camera().k).toBe(1);
    expect(wheel(true)).toBe(true);
    expect(zoom.camera().k).toBeGreaterThan(1);
  });

  it("lets go of a mouse that was released outside", () => {
    const { svg, zoom, point } = surface();
    const move = (x: number, buttons: number) => {
      const event = new PointerEvent("pointermove", {
        pointerId: 1,
        clientX: x,
        clientY: 10,
        bubbles: true,
      });
      Object.defineProperties(event, {
        buttons: { value: buttons },
        pointerType: { value: "mouse" },
      });
      svg.dispatchEvent(event);
    };
    point("pointerdown", 1, 10, 10);
    move(60, 0);
    move(200, 0);
    expect(zoom.camera()).toEqual({ k: 1, x: 0, y: 0 });
    point("pointerdown", 1, 10, 10);
    move(60, 1);
    expect(zoom.camera().x).toBe(50);
  });

  it("hears nothing after it was disposed of", () => {
    const { zoom, changed, point } = surface();
    zoom.dispose();
    point("pointerdown", 1, 10, 10);
    point("pointermove", 1, 60, 40);
    expect(changed).not.toHaveBeenCalled();
  });
});
