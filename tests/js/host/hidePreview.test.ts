// The static preview after the widget in a notebook file.

import { afterEach, describe, expect, it, vi } from "vitest";
import { hidePreview } from "../../../js/host/hidePreview";
import { settle } from "../support";

const MARKED = '<img src="data:image/svg+xml,%3Csvg%20id%3D%22imd-widget-picture%22">';

afterEach(() => document.body.replaceChildren());

function notebook(...outputs: string[]): HTMLElement[] {
  document.body.innerHTML = '<div class="jp-OutputArea"></div>';
  return outputs.map(add);
}

function add(content: string): HTMLElement {
  const child = document.createElement("div");
  child.className = "jp-OutputArea-child";
  child.innerHTML = content;
  document.querySelector(".jp-OutputArea")?.append(child);
  return child;
}

const isHidden = (element: HTMLElement | undefined) => element?.style.display === "none";
const widgetIn = (element: HTMLElement | undefined) => element?.firstElementChild as HTMLElement;

describe("the static preview", () => {
  it("is hidden where the widget runs, and shown when it leaves", () => {
    const [widget, picture] = notebook("<p></p>", MARKED);
    const leave = hidePreview(widgetIn(widget));
    expect(isHidden(picture)).toBe(true);
    leave();
    expect(isHidden(picture)).toBe(false);
  });

  it("is known where a page holds it in another coding", () => {
    const svg = '<?xml version="1.0"?><svg id="imd-widget-picture" width="10"></svg>';
    const source = `data:image/svg+xml;base64,${btoa(svg)}`;
    const [widget, picture] = notebook("<p></p>", `<img src="${source}">`);
    hidePreview(widgetIn(widget));
    expect(isHidden(picture)).toBe(true);
  });

  it("is hidden also when it comes later, and piece by piece", async () => {
    const [widget] = notebook("<p></p>");
    hidePreview(widgetIn(widget));
    const picture = add("");
    await settle();
    expect(isHidden(picture)).toBe(false);
    picture.innerHTML = MARKED;
    await settle();
    expect(isHidden(picture)).toBe(true);
  });

  it("is hidden also when the widget is put into the notebook after it was drawn", async () => {
    const [widget, picture] = notebook("", MARKED);
    const el = document.createElement("div");
    const leave = hidePreview(el);
    widget?.append(el);
    await vi.waitFor(() => expect(isHidden(picture)).toBe(true));
    leave();
    expect(isHidden(picture)).toBe(false);
  });

  it("no other output is touched", async () => {
    const [before, widget, after, picture] = notebook(MARKED, "<p></p>", "text", MARKED);
    hidePreview(widgetIn(widget));
    await settle();
    for (const output of [before, widget, after, picture]) expect(isHidden(output)).toBe(false);
  });

  it("is looked for in a notebook only", () => {
    const el = document.createElement("div");
    document.body.append(el);
    expect(hidePreview(el)).not.toThrow();
  });
});
