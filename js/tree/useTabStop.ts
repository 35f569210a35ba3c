// The one box that the Tab key reaches, and the focus that arrow keys move (the roving tab stop of the ARIA tree pattern).

import type { RefObject } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Layout } from "./layout";
import type { TreeCamera } from "./useCamera";

export function useTabStop(
  placed: Layout | null,
  layer: RefObject<SVGGElement>,
  camera: TreeCamera,
) {
  const [current, setCurrent] = useState("");
  /** The tab stop gets the focus after the next draw. */
  const wantsFocus = useRef(false);
  // A box that is removed cannot keep the tab stop.
  const tabStop = placed?.byId.has(current) ? current : (placed?.boxes[0]?.box.id ?? "");

  const focus = () => {
    for (const element of layer.current?.querySelectorAll<SVGGElement>("[data-node]") ?? [])
      if (element.dataset.node === tabStop) element.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (!wantsFocus.current || !placed) return;
    wantsFocus.current = false;
    const target = placed.byId.get(tabStop);
    if (!target) return;
    focus();
    camera.reveal([target], false);
    // without `focus`: it is another function at each draw, and depends on `tabStop` alone
  }, [tabStop, placed, camera]);

  return {
    tabStop,
    focus,
    /** For a box that got the focus by itself. */
    setTabStop: useCallback((id: string) => setCurrent(id), []),
    moveTo(id: string) {
      // At an end of the tree the tab stop stays, nothing is drawn, and the wish would be left for later.
      if (id !== tabStop) wantsFocus.current = true;
      setCurrent(id);
    },
    /** Gives the focus back after the box is drawn anew. */
    keepFocus() {
      wantsFocus.current = true;
    },
  };
}
