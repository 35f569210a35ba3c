// Light or dark: by the setting, else by what the host says, else by the colours of its ground and of its text.

export type Theme = "light" | "dark";
export type ThemeSetting = "auto" | Theme;

const WATCHED = [
  "class",
  "style",
  "theme",
  "data-theme",
  "data-bs-theme",
  "data-jp-theme-light",
  "data-vscode-theme-kind",
];

/** Relative luminance (WCAG) of an "rgb(r, g, b)" text, null when it is written another way or rather see-through. */
export function luminance(color: string): number | null {
  const match = /^rgba?\(\s*([\d.]+)[,\s]+([\d.]+)[,\s]+([\d.]+)(?:[,/\s]+([\d.]+))?\s*\)$/.exec(
    color,
  );
  if (!match || Number(match[4] ?? 1) < 0.5) return null;
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
    for (const name of ["theme", "data-theme", "data-bs-theme"]) {
      const value = element.getAttribute(name);
      if (value === "dark" || value === "light") return value;
    }
    if (element.classList.contains("dark")) return "dark";
    if (element.classList.contains("light")) return "light";
  }
  return null;
}

/** `el` and the elements around it, out of every shadow root. */
function around(el: HTMLElement): Element[] {
  const found: Element[] = [];
  for (let at: Node | null = el; at; at = at instanceof ShadowRoot ? at.host : at.parentNode)
    if (at instanceof Element) found.push(at);
  return found;
}

/** Luminance of the nearest ground below `el`; null if nothing around it has one. */
function ground(el: HTMLElement, styleOf: typeof getComputedStyle): number | null {
  for (const element of around(el)) {
    const found = luminance(styleOf(element).backgroundColor);
    if (found !== null) return found;
  }
  return null;
}

/** `el` is the element around the widget: its ground and its text colour are the host's. */
export function detectTheme(setting: ThemeSetting, el: HTMLElement): Theme {
  if (setting !== "auto") return setting;
  const { body, documentElement, defaultView } = el.ownerDocument;
  const word = themeOfHost([body, documentElement].filter(Boolean));
  if (word) return word;
  if (defaultView) {
    const styleOf = defaultView.getComputedStyle.bind(defaultView);
    const behind = ground(el, styleOf);
    if (behind !== null) return behind > 0.4 ? "light" : "dark";
    const text = luminance(styleOf(el).color);
    if (text !== null) return text > 0.4 ? "dark" : "light";
  }
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
  let frame = 0;
  // A widget is drawn before it is put into the page, and any element around it may set its colours.
  const observe = () => {
    for (const element of [body, documentElement, ...around(el)])
      observer.observe(element, { attributes: true, attributeFilter: WATCHED });
    if (el.isConnected) look();
    else frame = requestAnimationFrame(observe);
  };
  observe();
  const media = defaultView?.matchMedia?.("(prefers-color-scheme: dark)");
  media?.addEventListener?.("change", look);
  return () => {
    cancelAnimationFrame(frame);
    observer.disconnect();
    media?.removeEventListener?.("change", look);
  };
}
