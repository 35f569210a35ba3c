// The door for notebooks (anywidget).

import type { Model } from "./host";
import { mount } from "./mount";
import "./style.css";

interface RenderProps {
  model: Model;
  el: HTMLElement;
  /** Missing before anywidget 0.10. */
  signal?: AbortSignal;
}

function render({ model, el, signal }: RenderProps): () => void {
  const unmount = mount(model, el, true);
  signal?.addEventListener("abort", unmount, { once: true });
  return unmount;
}

export default { render };
