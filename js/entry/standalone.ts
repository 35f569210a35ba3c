// The entry point of an exported page, which holds all its data.

import { createComparisonModel } from "../host/comparisonModel";
import { createMemoryModel } from "../host/memoryModel";
import { createOneModelPage, createPageModel, type PageData } from "../host/pageModel";
import type { ComparisonPage, ModelPage } from "../protocol/types";
import { mount } from "./mount";
import "../styles/page.css";

/** Below the body, as in page.py. */
const MARGIN = 16;

const data = document.getElementById("imd-data");
const app = document.getElementById("imd-app");
if (data && app) {
  const held = JSON.parse(data.textContent ?? "");
  mount(
    held.tree
      ? createMemoryModel(held, () => {})
      : held.model
        ? createOneModelPage(held as ModelPage)
        : held.pairs
          ? createComparisonModel(held as ComparisonPage)
          : createPageModel(held as PageData),
    app,
  );
  // A page in a frame tells the host how high it is, and nothing else: a number is no secret from any origin.
  if (window.parent !== window)
    new ResizeObserver(() => {
      const height = Math.ceil(document.body.getBoundingClientRect().bottom + MARGIN);
      window.parent.postMessage({ type: "imd-height", height }, "*");
    }).observe(document.body);
  // The page holds nothing else, so its keys work without a click.
  app.querySelector<HTMLElement>(".imd-root")?.focus({ preventScroll: true });
}
