// The lower edge of the widget: it is dragged, or moved with the arrow keys, to change the height.

import { useDiff } from "../state/context";
import "./HeightHandle.css";

/** The bounds that Python accepts. */
const LEAST = 240;
const MOST = 4000;
const STEP = 20;

export function HeightHandle({ height }: { height: number }) {
  const { host } = useDiff();
  const set = (next: number) =>
    host.set({ height: Math.round(Math.min(MOST, Math.max(LEAST, next))) });
  const onPointerDown = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    if (event.button !== 0) return;
    event.preventDefault();
    const handle = event.currentTarget;
    handle.setPointerCapture?.(event.pointerId);
    const from = event.clientY;
    const move = ({ clientY }: PointerEvent) => set(height + clientY - from);
    const stop = new AbortController();
    handle.addEventListener("pointermove", move, { signal: stop.signal });
    for (const end of ["pointerup", "pointercancel"] as const)
      handle.addEventListener(end, () => stop.abort(), { signal: stop.signal });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr has no value that keys change
    <div
      class="imd-handle"
      data-testid="imd-height"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the widget"
      aria-valuenow={height}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      tabIndex={0}
      title="Drag to change the height, or use the arrow keys"
      onPointerDown={onPointerDown}
      onKeyDown={(event) => {
        const step = event.key === "ArrowDown" ? STEP : event.key === "ArrowUp" ? -STEP : 0;
        if (step === 0) return;
        event.preventDefault();
        set(height + step);
      }}
    />
  );
}
