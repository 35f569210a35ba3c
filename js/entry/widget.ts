// The door for notebooks (anywidget).

import { hidePicture } from "../host/hideStill";
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
  const showPicture = hidePicture(el);
  const leave = () => {
    unmount();
    showPicture();
  };
  signal?.addEventListener("abort", leave, { once: true });
  return leave;
}

export default { render };
