import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Whether the page is being printed. It is drawn once more for that, in the same turn, before the browser lays out the paper. */
export function usePrinting(el: RefObject<HTMLElement>): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const window = el.current?.ownerDocument.defaultView;
    if (!window) return;
    const media = window.matchMedia?.("print");
    const look = () => setPrinting(media?.matches ?? false);
    const begin = () => setPrinting(true);
    const end = () => setPrinting(false);
    media?.addEventListener?.("change", look);
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
    return () => {
      media?.removeEventListener?.("change", look);
      window.removeEventListener("beforeprint", begin);
      window.removeEventListener("afterprint", end);
    };
  }, [el]);
  return printing;
}
