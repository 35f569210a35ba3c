// SVG paths of the links, from left to right; `turned` makes them run down.

/** From a box along its lane, then in a curve to the child. */
export function splitPath(x0: number, y0: number, lane: number, x1: number, y1: number) {
  const middle = (lane + x1) / 2;
  return `M${x0},${y0}L${lane},${y0}C${middle},${y0} ${middle},${y1} ${x1},${y1}`;
}

/** Square corners, so that it cannot be taken for a split. */
export function bracketPath(x0: number, y0: number, spine: number, x1: number, y1: number) {
  const r = Math.min(6, Math.abs(y1 - y0) / 2);
  const down = y1 > y0 ? 1 : -1;
  return `M${x0},${y0}L${spine},${y0}L${spine},${y1 - down * r}Q${spine},${y1} ${spine + r},${y1}L${x1},${y1}`;
}

/** A path with its axes exchanged. */
export function turned(path: string): string {
  return path.replace(/([-\d.e]+),([-\d.e]+)/g, "$2,$1");
}
