// The door for one self-contained page: the data is in the page, nobody answers questions.

import { createMemoryModel } from "./memory";
import { mount } from "./mount";
import "./style.css";
import type { WidgetState } from "./types";

const data = document.getElementById("imd-data");
const app = document.getElementById("imd-app");
if (data && app) {
  const state = JSON.parse(data.textContent ?? "") as WidgetState;
  mount(createMemoryModel(state), app, false);
}
