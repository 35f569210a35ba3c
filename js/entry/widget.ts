// The entry point for notebooks (anywidget).

import { hidePreview } from "../host/hidePreview";
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
  const showPreview = hidePreview(el);
  const leave = () => {
    unmount();
    showPreview();
  };
  signal?.addEventListener("abort", leave, { once: true });
  return leave;
}

export default { render };
