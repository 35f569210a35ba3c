// Light or dark: by the setting, else by what the host says, else by the colour of its text.

export type Theme = "light" | "dark";
export type ThemeSetting = "auto" | Theme;

const WATCHED = [
  "class",
  "style",
  "theme",
  "data-theme",
  "data-jp-theme-light",
  "data-vscode-theme-kind",
];

/** Relative luminance (WCAG) of an "rgb(r, g, b)" text, null when it is written another way or see-through. */
export function luminance(color: string): number | null {
  const match = /^rgba?\(\s*([\d.]+)[,\s]+([\d.]+)[,\s]+([\d.]+)(?:[,/\s]+([\d.]+))?\s*\)$/.exec(
    color,
  );
  if (!match || match[4] === "0") return null;
  const [r, g, b] = [match[1], match[2], match[3]].map((text) => {
    const channel = Number(text) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function themeOfHost(elements: HTMLElement[]): Theme | null {
  for (const element of elements) {
    const light = element.getAttribute("data-jp-theme-light");
    if (light !== null) return light === "false" ? "dark" : "light";
  }
  for (const element of elements) {
    const kind = element.getAttribute("data-vscode-theme-kind");
    if (kind) return kind === "vscode-dark" || kind === "vscode-high-contrast" ? "dark" : "light";
  }
  for (const element of elements) {
    for (const name of ["theme", "data-theme"]) {
      const value = element.getAttribute(name);
      if (value === "dark" || value === "light") return value;
    }
    if (element.classList.contains("dark")) return "dark";
    if (element.classList.contains("light")) return "light";
  }
  return null;
}

/** `el` is the element around the widget: its text colour is the host's. */
export function detectTheme(setting: ThemeSetting, el: HTMLElement): Theme {
  if (setting !== "auto") return setting;
  const { body, documentElement, defaultView } = el.ownerDocument;
  const word = themeOfHost([body, documentElement].filter(Boolean));
  if (word) return word;
  const text = defaultView ? luminance(defaultView.getComputedStyle(el).color) : null;
  if (text !== null) return text > 0.4 ? "dark" : "light";
  return defaultView?.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Calls back at once and at each change of the host's theme; returns how to stop. */
export function watchTheme(
  setting: ThemeSetting,
  el: HTMLElement,
  changed: (theme: Theme) => void,
): () => void {
  const look = () => changed(detectTheme(setting, el));
  look();
  if (setting !== "auto") return () => {};
  const { body, documentElement, defaultView } = el.ownerDocument;
  const observer = new MutationObserver(look);
  for (const element of [body, documentElement])
    observer.observe(element, { attributes: true, attributeFilter: WATCHED });
  const media = defaultView?.matchMedia?.("(prefers-color-scheme: dark)");
  media?.addEventListener?.("change", look);
  return () => {
    observer.disconnect();
    media?.removeEventListener?.("change", look);
  };
}
