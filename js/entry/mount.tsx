// Draws the widget into an element; the notebook and the standalone page share it. The tokens and the base come before
// the CSS of every component, the user's preferences after it.

import "../styles/tokens.css";
import "../styles/base.css";
import { render } from "preact";
import { App } from "../app/App";
import { OneModel } from "../app/OneModel";
import { OneTree } from "../app/OneTree";
import { Track } from "../app/Track";
import { createHost } from "../host/host";
import { keepKeys } from "../host/keyboard";
import type { Model } from "../host/model";
import "../styles/preferences.css";
import "../styles/print.css";

export function mount(model: Model, el: HTMLElement): () => void {
  const letKeysGo = keepKeys(el);
  // A widget with one tree or a track asks the kernel for nothing.
  const track = model.get("track");
  const host = track || model.get("tree") ? null : createHost(model);
  const one = model.get("model");
  render(
    track ? (
      <Track model={model} />
    ) : !host ? (
      <OneTree model={model} />
    ) : one ? (
      <OneModel host={host} model={one} />
    ) : (
      <App host={host} />
    ),
    el,
  );
  return () => {
    letKeysGo();
    render(null, el);
    host?.dispose();
  };
}
