// Where a key leads in the matrix.

/** Row and column, counted from 0. */
export type Cell = readonly [number, number];

/** The cell that a key leads to from another; null for keys that lead nowhere. */
export function cellAfter([row, column]: Cell, key: string, far: boolean, models: number) {
  const last = models - 1;
  const within = (place: number) => Math.min(last, Math.max(0, place));
  const moves: Record<string, Cell> = {
    ArrowUp: [within(row - 1), column],
    ArrowDown: [within(row + 1), column],
    ArrowLeft: [row, within(column - 1)],
    ArrowRight: [row, within(column + 1)],
    Home: [far ? 0 : row, 0],
    End: [far ? last : row, last],
  };
  return moves[key] ?? null;
}
