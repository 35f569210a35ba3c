// The widget on the whole screen, where the page around it allows that.

import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

export interface FullScreen {
  on: boolean;
  /** Why it is unavailable; null if it is available, as far as is known. */
  unavailable: string | null;
  toggle(): void;
}

export const NOT_ALLOWED =
  "Full screen is not allowed here; open a saved page in the browser instead.";

/** The element that fills the screen, seen from the page or the shadow root that `el` is in. */
function isFull(el: HTMLElement): boolean {
  const root = el.getRootNode() as Partial<DocumentOrShadowRoot>;
  return (root.fullscreenElement ?? null) === el;
}

/** `refused` is called with the reason when the browser says no. */
export function useFullScreen(
  ref: RefObject<HTMLElement>,
  refused: (reason: string) => void,
): FullScreen {
  const [on, setOn] = useState(false);
  const [unavailable, setUnavailable] = useState<string | null>(null);
  useEffect(() => {
    const el = ref.current;
    if (!el) return;
    if (!el.requestFullscreen || el.ownerDocument.fullscreenEnabled === false)
      setUnavailable(NOT_ALLOWED);
    const look = () => setOn(isFull(el));
    el.addEventListener("fullscreenchange", look);
    return () => el.removeEventListener("fullscreenchange", look);
  }, [ref]);
  const toggle = async () => {
    const el = ref.current;
    if (!el) return;
    try {
      if (on) await el.ownerDocument.exitFullscreen();
      else await el.requestFullscreen();
    } catch {
      setUnavailable(NOT_ALLOWED);
      refused(NOT_ALLOWED);
    }
  };
  return { on, unavailable, toggle };
}
