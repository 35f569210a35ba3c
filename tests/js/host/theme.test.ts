import { afterEach, describe, expect, it, vi } from "vitest";
import { detectTheme, luminance, watchTheme } from "../../../js/host/theme";
import { count, percent, plural, shortCount } from "../../../js/text/format";
import { classColor, GREY } from "../../../js/ui/colors";

const { body, documentElement } = document;

afterEach(() => {
  for (const element of [body, documentElement])
    for (const { name } of [...element.attributes]) element.removeAttribute(name);
  body.replaceChildren();
});

function place(color?: string): HTMLElement {
  const element = document.createElement("div");
  if (color) element.style.color = color;
  body.append(element);
  return element;
}

describe("theme", () => {
  it.each([
    ["data-jp-theme-light", "false", "dark"],
    ["data-jp-theme-light", "true", "light"],
    ["data-vscode-theme-kind", "vscode-dark", "dark"],
    ["data-vscode-theme-kind", "vscode-high-contrast", "dark"],
    ["data-vscode-theme-kind", "vscode-high-contrast-light", "light"],
    ["theme", "dark", "dark"],
    ["data-bs-theme", "dark", "dark"],
    ["class", "dark", "dark"],
  ])("believes the host: %s=%s is %s", (name, value, theme) => {
    body.setAttribute(name, value);
    const text = theme === "dark" ? "rgb(0, 0, 0)" : "rgb(255, 255, 255)";
    expect(detectTheme("auto", place(text))).toBe(theme);
  });

  it("does as it is told before anything else", () => {
    body.setAttribute("data-jp-theme-light", "true");
    expect(detectTheme("dark", place())).toBe("dark");
  });

  it("takes light text for a dark page", () => {
    expect(detectTheme("auto", place("rgb(240, 240, 240)"))).toBe("dark");
    expect(detectTheme("auto", place("rgb(20, 20, 20)"))).toBe("light");
  });

  it("believes the ground it stands on before the text, as in an output of Solara", () => {
    const app = place();
    app.style.backgroundColor = "rgb(33, 33, 33)";
    const output = document.createElement("div");
    output.style.backgroundColor = "rgba(255, 255, 255, 0.1)";
    output.style.color = "rgba(0, 0, 0, 0.87)";
    app.append(output);
    expect(detectTheme("auto", output)).toBe("dark");
    app.style.backgroundColor = "rgb(250, 250, 250)";
    expect(detectTheme("auto", output)).toBe("light");
  });

  it("follows the host until it is told to stop", async () => {
    const seen = vi.fn();
    body.setAttribute("data-jp-theme-light", "true");
    const stop = watchTheme("auto", place(), seen);
    expect(seen).toHaveBeenLastCalledWith("light");
    body.setAttribute("data-jp-theme-light", "false");
    await vi.waitFor(() => expect(seen).toHaveBeenLastCalledWith("dark"));
    stop();
    body.setAttribute("data-jp-theme-light", "true");
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(seen).toHaveBeenLastCalledWith("dark");
  });

  it("follows the button for dark mode of Bootstrap, and so of Shiny", async () => {
    const seen = vi.fn();
    documentElement.setAttribute("data-bs-theme", "light");
    const stop = watchTheme("auto", place(), seen);
    documentElement.setAttribute("data-bs-theme", "dark");
    await vi.waitFor(() => expect(seen).toHaveBeenLastCalledWith("dark"));
    stop();
  });

  it("follows the colour of any element around it, as in Solara", async () => {
    const seen = vi.fn();
    const app = place("rgb(20, 20, 20)");
    const shadow = document.createElement("div");
    app.append(shadow);
    const el = document.createElement("div");
    shadow.attachShadow({ mode: "open" }).append(el);
    el.style.color = "rgb(20, 20, 20)";
    const stop = watchTheme("auto", el, seen);
    expect(seen).toHaveBeenLastCalledWith("light");
    // what the browser does by inheritance
    vi.spyOn(window, "getComputedStyle").mockReturnValue({ color: "rgb(240, 240, 240)" } as never);
    app.className = "theme--dark";
    await vi.waitFor(() => expect(seen).toHaveBeenLastCalledWith("dark"));
    vi.restoreAllMocks();
    stop();
  });

  it("looks again once it is in the page", async () => {
    const seen = vi.fn();
    const el = document.createElement("div");
    const stop = watchTheme("auto", el, seen);
    expect(seen).toHaveBeenLastCalledWith("light");
    place("rgb(240, 240, 240)").append(el);
    el.style.color = "rgb(240, 240, 240)";
    await vi.waitFor(() => expect(seen).toHaveBeenLastCalledWith("dark"));
    stop();
  });

  it("knows luminance, and when it does not", () => {
    expect(luminance("rgb(255, 255, 255)")).toBeCloseTo(1);
    expect(luminance("rgb(0, 0, 0)")).toBe(0);
    expect(luminance("rgba(0, 0, 0, 0)")).toBeNull();
    expect(luminance("rgba(0, 0, 0, 0.4)")).toBeNull();
    expect(luminance("rgba(0, 0, 0, 0.87)")).toBe(0);
    expect(luminance("color(display-p3 1 1 1)")).toBeNull();
  });
});

describe("colours", () => {
  it("are eight different ones, then grey", () => {
    expect(new Set(Array.from({ length: 8 }, (_, i) => classColor({}, i))).size).toBe(8);
    expect(classColor({}, 7)).not.toBe(GREY);
    expect(classColor({}, 8)).toBe(GREY);
  });
});

describe("numbers", () => {
  it("never round a little to nothing, nor almost all to all", () => {
    expect(percent(0)).toBe("0\u00a0%");
    expect(percent(0.001)).toBe("<1\u00a0%");
    expect(percent(0.999)).toBe(">99\u00a0%");
    expect(percent(1)).toBe("100\u00a0%");
    expect(percent(null)).toBe("–");
  });

  it("are grouped, shortened and counted", () => {
    expect(count(12345)).toBe("12,345");
    expect(shortCount(1234)).toBe("1,234");
    expect(shortCount(123456)).toBe("123.5K");
    expect(plural(1, "row")).toBe("1 row");
    expect(plural(2, "leaf", "leaves")).toBe("2 leaves");
  });
});
