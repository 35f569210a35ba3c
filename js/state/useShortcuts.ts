// Keys that work wherever the focus is inside the widget.

import type { RefObject } from "preact";
import type { Host } from "../host/host";
import { zoomFor } from "../tree/keys";
import type { TreeControls } from "../tree/useCamera";

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLInputElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  return /^(select|textarea)$/i.test(target.tagName) || isField(target);
}

/** Whether text is typed into it. */
const isField = ({ tagName, type }: HTMLInputElement) =>
  /^input$/i.test(tagName) && type !== "range";

export interface ShortcutTargets {
  /** The element of the whole widget. */
  el: RefObject<HTMLElement>;
  host: Host;
  controls: RefObject<TreeControls>;
  /** Lets go of one thing; returns false if there was none. */
  dismiss(): boolean;
  toggleHelp(): void;
}

export function useShortcuts({ el, host, controls, dismiss, toggleHelp }: ShortcutTargets) {
  const search = () => {
    if (!host.state().view) return;
    host.set({ tab: "Rules" });
    requestAnimationFrame(() =>
      el.current?.querySelector<HTMLElement>("input[type=search]")?.focus(),
    );
  };
  /** The cell of the pair that is shown, where the focus is not among the models. */
  const openCell = ({ target }: KeyboardEvent) =>
    (target as Element).closest(".imd-models")
      ? null
      : el.current?.querySelector<HTMLElement>(".imd-models [aria-selected=true]");
  return (event: KeyboardEvent): void => {
    if (event.key === "Escape") {
      const nothing = !dismiss();
      // With nothing to let go of, the focus leaves the control; it leaves a field at once.
      if (nothing || isField(event.target as HTMLInputElement))
        (openCell(event) ?? el.current)?.focus();
    } else if (isTyping(event)) return;
    else if (event.key === "?") toggleHelp();
    else if (event.key === "/") {
      event.preventDefault();
      search();
    } else {
      const move = zoomFor(event.key);
      if (move?.kind === "fit") controls.current?.fit();
      else if (move) controls.current?.zoomBy(move.factor);
    }
  };
}
