// The door for notebooks (anywidget).

import type { Model } from "./host";
import { mount } from "./mount";
import { hidePicture } from "./picture";
import "./style.css";

interface RenderProps {
  model: Model;
  el: HTMLElement;
  /** Missing before anywidget 0.10. */
  signal?: AbortSignal;
}

function render({ model, el, signal }: RenderProps): () => void {
  const unmount = mount(model, el);
  const showPicture = hidePicture(el);
  const leave = () => {
    unmount();
    showPicture();
  };
  signal?.addEventListener("abort", leave, { once: true });
  return leave;
}

export default { render };
