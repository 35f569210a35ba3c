// The entry point of an exported page, which holds all its data.

import { createComparisonModel } from "../host/comparisonModel";
import { createMemoryModel } from "../host/memoryModel";
import { createOneModelPage, createPageModel, type PageData } from "../host/pageModel";
import type { ComparisonPage, ModelPage } from "../protocol/types";
import { mount } from "./mount";
import "../styles/page.css";

/** Below the body, as in page.py. */
const MARGIN = 16;
/** Pixels of the widget, and of what is around it, in a frame that is high enough, as in page.css. */
const HEIGHT = 720;
const LEAST = 420;
const AROUND = 92;

/** How high the frame has to be for all of the page. */
function wantedHeight(): number {
  const widget = Math.min(HEIGHT, Math.max(LEAST, window.innerHeight - AROUND));
  return Math.ceil(document.body.getBoundingClientRect().bottom + MARGIN + HEIGHT - widget);
}

/** Dark in a dark page: by its word, or of the same origin by the colour scheme of the frame. */
function followHost() {
  const { documentElement } = document;
  const show = (theme: unknown) => {
    if (theme !== "dark" && theme !== "light") return;
    documentElement.dataset.theme = theme;
    documentElement.style.colorScheme = theme;
  };
  try {
    if (window.frameElement) show(getComputedStyle(window.frameElement).colorScheme);
  } catch {
    // a page of another origin
  }
  window.addEventListener("message", ({ source, data }) => {
    if (source === window.parent && data?.type === "imd-theme") show(data.theme);
  });
}

const data = document.getElementById("imd-data");
const app = document.getElementById("imd-app");
if (data && app) {
  const held = JSON.parse(data.textContent ?? "");
  const framed = window.parent !== window;
  app.classList.toggle("is-framed", framed);
  if (framed) followHost();
  mount(
    held.tree || held.track
      ? createMemoryModel(held, () => {})
      : held.model
        ? createOneModelPage(held as ModelPage)
        : held.pairs
          ? createComparisonModel(held as ComparisonPage)
          : createPageModel(held as PageData),
    app,
  );
  // A page in a frame tells the host how high it is, and nothing else: a number is no secret from any origin.
  if (framed)
    new ResizeObserver(() => {
      window.parent.postMessage({ type: "imd-height", height: wantedHeight() }, "*");
    }).observe(document.body);
  // The page holds nothing else, so its keys work without a click.
  app.querySelector<HTMLElement>(".imd-root")?.focus({ preventScroll: true });
}
