// Stands in for d3-transition and d3-interpolate, which d3-zoom imports: our camera glides by CSS, so that no
// d3 transition is ever started or interrupted. Leaves a third out of the bundle (see esbuild.config.mjs).

export function interrupt(): void {}

export function interpolateZoom(): never {
  throw new Error("The camera glides by CSS: d3 transitions are not part of the bundle.");
}
