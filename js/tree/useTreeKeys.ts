// The keys of the tree: one box has the tab stop, and arrow keys move it (the roving tab stop of the ARIA tree pattern).

import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { moveFor } from "./keys";
import type { Layout } from "./layout";
import type { TreeCamera } from "./useCamera";

interface TreeKeysProps {
  placed: Layout | null;
  layer: RefObject<SVGGElement>;
  camera: TreeCamera;
  onSelect: (id: string) => void;
  onFold: (id: string) => void;
}

/** Ids of a box and of those above it. */
const wayTo = ({ byId }: Layout, id: string): string[] => {
  const parent = byId.get(id)?.parent;
  return parent ? [...wayTo({ byId } as Layout, parent), id] : [id];
};

export function useTreeKeys({ placed, layer, camera, onSelect, onFold }: TreeKeysProps) {
  const [current, setCurrent] = useState("");
  /** The tab stop gets the focus after the next draw. */
  const wantsFocus = useRef(false);
  // A box that is removed cannot keep the tab stop.
  const tabStop = placed?.byId.has(current) ? current : (placed?.boxes[0]?.box.id ?? "");

  /** Gives the focus to the box with the tab stop. */
  const focus = () => {
    for (const element of layer.current?.querySelectorAll<SVGGElement>("[data-node]") ?? [])
      if (element.dataset.node === tabStop) element.focus({ preventScroll: true });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: `focus` is another function at each draw, and depends on `tabStop` alone
  useEffect(() => {
    if (!wantsFocus.current || !placed) return;
    wantsFocus.current = false;
    const target = placed.byId.get(tabStop);
    if (!target) return;
    focus();
    camera.reveal([target.box.id]);
  }, [tabStop, placed, camera]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!placed || event.ctrlKey || event.metaKey || event.altKey) return;
    const move = moveFor(event.key, placed.boxes, tabStop);
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    if (move.kind === "focus") {
      // At an end of the tree nothing is drawn: the focus would be taken at some later draw.
      if (move.id !== tabStop) wantsFocus.current = true;
      setCurrent(move.id);
    } else if (move.kind === "fold") {
      wantsFocus.current = true;
      onFold(move.id);
    } else if (move.kind === "select") {
      onSelect(move.id);
      camera.frame(wayTo(placed, move.id), [move.id]);
    } else if (move.kind === "fit") camera.fit();
    else camera.zoomBy(move.factor);
  };
  return { tabStop, setTabStop: setCurrent, focus, onKeyDown };
}
