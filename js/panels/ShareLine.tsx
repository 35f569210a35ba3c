// The share of each bar's rows that differs, as a line over the bars.

import { percent } from "../text/format";

/** Differing rows as a share of all; null where there is no row. */
export const shareOf = (differing: number, rows: number): number | null =>
  rows > 0 ? differing / rows : null;

interface ShareLineProps {
  shares: readonly (number | null)[];
  /** The share at the upper edge. */
  top: number;
}

/** A gap where a bar has no row. */
export function ShareLine({ shares, top }: ShareLineProps) {
  const x = (i: number) => (100 * (i + 0.5)) / shares.length;
  const y = (share: number) => 100 - (100 * share) / top;
  let pen = "M";
  const path = shares.map((share, i) => {
    const step = share === null ? "" : `${pen}${x(i)},${y(share)}`;
    pen = share === null ? "M" : "L";
    return step;
  });
  return (
    <svg class="imd-share-line" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path d={path.join("")} />
      {shares.map(
        (share, i) =>
          share !== null && <path key={i} class="is-dot" d={`M${x(i)},${y(share)}h0.01`} />,
      )}
    </svg>
  );
}

/** The largest share, at least one in a hundred: what the line is drawn against. */
export function topShare(shares: readonly (number | null)[]): number {
  return Math.max(0.01, ...shares.map((share) => share ?? 0));
}

/** What the line means, and its scale. */
export function ShareKey({ top }: { top: number }) {
  return (
    <span class="imd-share-key">
      <svg width="18" height="8" aria-hidden="true">
        <path d="M1,4H17" />
        <path class="is-dot" d="M9,4h0.01" />
      </svg>{" "}
      share that differ, up to {percent(top)}
    </span>
  );
}
