// The line below the tree: what is out of sight, and how to bring it into view.

import { plural } from "../text/format";

interface HintProps {
  outside: { boxes: number; differences: number };
  autoFolded: number;
  onFit: () => void;
  onUnfold: () => void;
}

/** Says what the view leaves out: nobody looks for what is not announced. */
export function Hint({ outside, autoFolded, onFit, onUnfold }: HintProps) {
  const { boxes, differences } = outside;
  const more = differences > 0 ? `${plural(differences, "more difference")} ` : "The tree goes on ";
  return (
    // Always there, so that the tree keeps its room when a hint comes or goes.
    <p class="imd-hint" data-testid="imd-hint">
      {boxes > 0 ? (
        <>
          {more}outside this view: drag, or{" "}
          <button type="button" class="imd-text-button" onClick={onFit}>
            fit
          </button>
        </>
      ) : (
        autoFolded > 0 && (
          <>
            {plural(autoFolded, "part")} with differences folded to fit: open one with ›, or{" "}
            <button type="button" class="imd-text-button" onClick={onUnfold}>
              unfold all
            </button>
          </>
        )
      )}
    </p>
  );
}

const ZOOMS = [
  ["imd-zoom-out", "−", "Zoom out", 0.8],
  ["imd-zoom-in", "+", "Zoom in", 1.25],
] as const;

/** They stand beside what they act on. */
export function ZoomButtons({
  onFit,
  onZoom,
}: {
  onFit: () => void;
  onZoom: (factor: number) => void;
}) {
  return (
    <span class="imd-group">
      <button
        type="button"
        data-testid="imd-fit"
        title="Show the whole tree (key 0)"
        onClick={onFit}
      >
        Fit
      </button>
      {ZOOMS.map(([id, sign, words, factor]) => (
        <button
          key={id}
          type="button"
          data-testid={id}
          aria-label={words}
          title={`${words} (key ${sign}, or Ctrl + wheel)`}
          onClick={() => onZoom(factor)}
        >
          {sign}
        </button>
      ))}
    </span>
  );
}
