// The height that the host leaves to the widget, where it cuts off what is higher: an app with boxes of a fixed height.

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** A lower box is folded, or not laid out yet. */
const LEAST = 120;

/** The nearest element around `el` that cuts it off; null if there is none, or if one before it can be scrolled. */
export function cutting(el: HTMLElement): HTMLElement | null {
  for (let around = el.parentElement; around; around = around.parentElement) {
    const { overflowY } = getComputedStyle(around);
    if (overflowY === "auto" || overflowY === "scroll") return null;
    const cuts = overflowY === "hidden" || overflowY === "clip";
    if (cuts && around.clientHeight >= LEAST && around.scrollHeight > around.clientHeight + 1)
      return around;
  }
  return null;
}

/** Pixels; null where the widget is as high as it wants to be. */
export function useRoom(ref: RefObject<HTMLElement>): number | null {
  const [room, setRoom] = useState<number | null>(null);
  useLayoutEffect(() => {
    const el = ref.current;
    if (!el || typeof ResizeObserver === "undefined") return;
    let box: HTMLElement | null = null;
    const look = () => {
      if (!box) {
        box = cutting(el);
        if (box) observer.observe(box);
      }
      // What the host shows above the widget in the same box is not the widget's.
      if (box && box.clientHeight >= LEAST) {
        const above = el.getBoundingClientRect().top - box.getBoundingClientRect().top;
        setRoom(Math.max(LEAST, Math.floor(box.clientHeight - Math.max(0, above))));
      }
    };
    const observer = new ResizeObserver(look);
    observer.observe(el);
    return () => observer.disconnect();
  }, [ref]);
  return room;
}

/** The style of the root of a widget that is `height` pixels high, or as high as there is room; a lower box is scrolled. */
export function styleIn(room: number | null, height: number, least = 0) {
  const style = { "--imd-height": `${Math.max(least, Math.min(room ?? height, height))}px` };
  return room === null ? style : { ...style, maxHeight: `${room}px`, overflowY: "auto" as const };
}
