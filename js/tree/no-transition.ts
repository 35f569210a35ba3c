// Stands in for d3-transition, which d3-zoom imports: our camera glides by CSS, so that no d3 transition
// is ever there to be interrupted. Leaves 29 kB out of the bundle (see esbuild.config.mjs).

import { selection } from "d3-selection";

Object.assign(selection.prototype, {
  interrupt(this: unknown) {
    return this;
  },
});

export function interrupt(): void {}
