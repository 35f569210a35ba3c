import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { type Theme, type ThemeSetting, watchTheme } from "../host/theme";

/** The theme to draw in; "auto" follows what is around the element. */
export function useTheme(setting: ThemeSetting, el: RefObject<HTMLElement>): Theme {
  const [theme, setTheme] = useState<Theme>(setting === "dark" ? "dark" : "light");
  useLayoutEffect(() => {
    const around = el.current?.parentElement;
    return around ? watchTheme(setting, around, setTheme) : undefined;
  }, [setting, el]);
  return theme;
}
