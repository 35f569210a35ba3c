// marimo runs the cells that read the widget when the front-end saves a trait, not when Python changes one.

import type { Model } from "./model";

/** Saves a trait with the value it has. Other hosts take that for no change. */
export function pokeMarimo(model: Model): void {
  model.set("theme", model.get("theme") ?? "auto");
  model.save_changes();
}
