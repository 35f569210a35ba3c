// The door for one self-contained page: all that it may be asked for is inside.

import { createPageModel, type PageData } from "../host/pageModel";
import { mount } from "./mount";

const data = document.getElementById("imd-data");
const app = document.getElementById("imd-app");
if (data && app) {
  mount(createPageModel(JSON.parse(data.textContent ?? "") as PageData), app);
  // the page is nothing but this: its keys work at once
  app.querySelector<HTMLElement>(".imd-root")?.focus({ preventScroll: true });
}
