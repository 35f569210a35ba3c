// Words, not icons: every button says what it does, and a disabled one says why.

import type { ComponentChildren } from "preact";
import { plural } from "./format";
import type { RefinementView, Request } from "./types";

export interface ToolbarProps {
  refinement: RefinementView;
  differencesOnly: boolean;
  canAsk: boolean;
  busy: Request["kind"] | null;
  helpOpen: boolean;
  onDifferencesOnly: () => void;
  onFit: () => void;
  onZoom: (factor: number) => void;
  onAsk: (kind: Request["kind"]) => void;
  onHelp: () => void;
}

const REFINE = {
  leaf: "Split the leaves in which a model says more than one thing",
  region: "Ask one more question where that tells a part of a rule that should be none",
};
const NO_KERNEL = "Needs a running kernel: open the notebook";

function refineWords(props: ToolbarProps): { label: string; off: string | null } {
  const { refinement, canAsk, busy } = props;
  const { impure, what } = refinement;
  const [oneOf, many] = what === "leaf" ? ["impure leaf", "impure leaves"] : ["rule", "rules"];
  const label =
    busy === "refine"
      ? "Refining…"
      : impure > 0
        ? `Refine ${plural(impure, oneOf, many)}`
        : "Refine";
  const off = !canAsk ? NO_KERNEL : (refinement.reason ?? (busy ? "Working…" : null));
  return { label, off };
}

function undoOff({ refinement, canAsk, busy }: ToolbarProps): string | null {
  if (!canAsk) return NO_KERNEL;
  if (refinement.steps === 0) return "Nothing to undo";
  return busy ? "Working…" : null;
}

interface WorkProps {
  id: string;
  /** Why it cannot be pressed now. */
  off: string | null;
  busy: boolean;
  title: string;
  onClick: () => void;
  children: ComponentChildren;
}

/** Asks Python for something. Not `disabled` while it cannot: that would throw the focus away. */
function Work({ id, off, busy, title, onClick, children }: WorkProps) {
  return (
    <button
      type="button"
      data-testid={id}
      aria-disabled={off !== null}
      aria-busy={busy}
      title={off ?? title}
      onClick={() => off === null && onClick()}
    >
      {children}
    </button>
  );
}

export function Toolbar(props: ToolbarProps) {
  const { differencesOnly, onZoom, onAsk } = props;
  const refine = refineWords(props);
  const noUndo = undoOff(props);
  return (
    <div class="imd-toolbar">
      <button
        type="button"
        class="imd-toggle"
        data-testid="imd-all"
        aria-pressed={differencesOnly}
        title="Fold everything on which the models agree; switch off to see the whole tree"
        onClick={props.onDifferencesOnly}
      >
        <i aria-hidden="true" />
        Differences only
      </button>
      <span class="imd-group">
        <button
          type="button"
          data-testid="imd-fit"
          title="Show the whole tree (key 0)"
          onClick={props.onFit}
        >
          Fit
        </button>
        <button
          type="button"
          data-testid="imd-zoom-out"
          aria-label="Zoom out"
          title="Zoom out (key −, or Ctrl + wheel)"
          onClick={() => onZoom(0.8)}
        >
          −
        </button>
        <button
          type="button"
          data-testid="imd-zoom-in"
          aria-label="Zoom in"
          title="Zoom in (key +, or Ctrl + wheel)"
          onClick={() => onZoom(1.25)}
        >
          +
        </button>
      </span>
      <span class="imd-group">
        <Work
          id="imd-refine"
          off={refine.off}
          busy={props.busy === "refine"}
          title={REFINE[props.refinement.what]}
          onClick={() => onAsk("refine")}
        >
          {refine.label}
        </Work>
        <Work
          id="imd-undo"
          off={noUndo}
          busy={props.busy === "undo"}
          title="Take back the last refinement"
          onClick={() => onAsk("undo")}
        >
          {props.busy === "undo" ? "Undoing…" : "Undo"}
        </Work>
      </span>
      <button
        type="button"
        class="imd-help-button"
        data-testid="imd-help"
        aria-expanded={props.helpOpen}
        title="How to read this"
        aria-label="How to read this"
        onClick={props.onHelp}
      >
        ?
      </button>
    </div>
  );
}
