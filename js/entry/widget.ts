// The entry point for notebooks (anywidget).

import { hideStill } from "../host/hideStill";
import type { Model } from "../host/model";
import { mount } from "./mount";

interface RenderProps {
  model: Model;
  el: HTMLElement;
  /** Missing before anywidget 0.10. */
  signal?: AbortSignal;
}

function render({ model, el, signal }: RenderProps): () => void {
  const unmount = mount(model, el);
  const showStill = hideStill(el);
  const leave = () => {
    unmount();
    showStill();
  };
  signal?.addEventListener("abort", leave, { once: true });
  return leave;
}

export default { render };
