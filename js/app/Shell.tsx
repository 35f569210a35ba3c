// The root of a widget that shows one result and sends no messages: theme, room and paper.

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { ThemeSetting } from "../host/theme";
import { usePrinting } from "../state/usePrinting";
import { styleIn, useRoom } from "../state/useRoom";
import { useTheme } from "../state/useTheme";

interface ShellProps {
  theme: ThemeSetting;
  /** Pixels; null: as high as its content. */
  height: number | null;
  onKeyDown: (event: KeyboardEvent) => void;
  /** Called with whether it is printed. */
  children: (printing: boolean) => ComponentChildren;
}

export function Shell({ theme, height, onKeyDown, children }: ShellProps) {
  const el = useRef<HTMLDivElement>(null);
  const printing = usePrinting(el);
  const drawn = useTheme(theme, el);
  const room = useRoom(el);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys work wherever the focus is inside the widget
    <div
      ref={el}
      class="imd-root"
      data-theme={printing ? "light" : drawn}
      tabIndex={-1}
      style={height === null ? undefined : styleIn(printing ? null : room, height)}
      onKeyDown={onKeyDown}
    >
      {children(printing)}
    </div>
  );
}
