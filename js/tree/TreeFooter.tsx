// The line below the tree: what is out of sight, and how to bring it into view.

import type { ComponentChildren } from "preact";
import { plural } from "../text/format";
import { Button, TextButton } from "../ui/Button";
import "./TreeFooter.css";

interface HintProps {
  outside: { boxes: number; differences: number };
  autoFolded: number;
  focused: boolean;
  onFit: () => void;
  onUnfold: () => void;
}

/** What is outside the view or folded. */
function Hint({ outside, autoFolded, focused, onFit, onUnfold }: HintProps) {
  const { boxes, differences } = outside;
  const more =
    differences > 0 ? `${plural(differences, "more difference")} ` : "The tree continues ";
  return (
    // Always there, so that the tree keeps its room when a hint comes or goes.
    <p class="imd-hint" data-testid="imd-hint">
      {boxes > 0 ? (
        <>
          {more}outside this view: drag, or <TextButton onClick={onFit}>fit</TextButton>
          {(focused || autoFolded > 0) && (
            <>
              {" · "}
              <TextButton onClick={onUnfold}>unfold all</TextButton>
            </>
          )}
        </>
      ) : focused ? (
        <>
          Only the path to the selected rule is open: press Esc, or{" "}
          <TextButton onClick={onUnfold}>unfold all</TextButton>
        </>
      ) : (
        autoFolded > 0 && (
          <>
            {plural(autoFolded, "part")} with differences folded to fit: open one with ›, or{" "}
            <TextButton onClick={onUnfold}>unfold all</TextButton>
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
function ZoomButtons({ onFit, onZoom }: { onFit: () => void; onZoom: (factor: number) => void }) {
  return (
    <span class="imd-group">
      <Button data-testid="imd-fit" title="Show the whole tree (key 0)" onClick={onFit}>
        Fit
      </Button>
      {ZOOMS.map(([id, sign, words, factor]) => (
        <Button
          key={id}
          data-testid={id}
          aria-label={words}
          title={`${words} (key ${sign}, or Ctrl + wheel)`}
          onClick={() => onZoom(factor)}
        >
          {sign}
        </Button>
      ))}
    </span>
  );
}

interface TreeFooterProps extends HintProps {
  /** Shown in place of the hint. */
  note: ComponentChildren;
  onZoom: (factor: number) => void;
}

export function TreeFooter({ note, onZoom, ...hint }: TreeFooterProps) {
  return (
    <div class="imd-under">
      {note || <Hint {...hint} />}
      <ZoomButtons onFit={hint.onFit} onZoom={onZoom} />
    </div>
  );
}
