// The buttons in the upper right corner: full screen and help.

import type { FullScreen } from "../state/useFullScreen";
import { ActionButton } from "../ui/ActionButton";
import { Button } from "../ui/Button";
import "./Corner.css";

interface CornerProps {
  full: FullScreen;
  helpOpen: boolean;
  onHelp: () => void;
}

export function Corner({ full, helpOpen, onHelp }: CornerProps) {
  const words = full.on ? "Exit full screen" : "Full screen";
  return (
    <div class="imd-corner">
      <ActionButton
        id="imd-full"
        label={words}
        disabledReason={full.unavailable}
        busy={false}
        title={full.on ? `${words} (Esc)` : words}
        onClick={full.toggle}
      >
        <svg class="imd-corner-glyph" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
          <path
            d={
              full.on
                ? "M5,1V5H1M9,1V5H13M5,13V9H1M9,13V9H13"
                : "M1,5V1H5M9,1H13V5M1,9V13H5M13,9V13H9"
            }
          />
        </svg>
      </ActionButton>
      <Button
        class="imd-help-button"
        data-testid="imd-help"
        aria-expanded={helpOpen}
        title="How to read this (key: ?)"
        aria-label="How to read this"
        onClick={onHelp}
      >
        ?
      </Button>
    </div>
  );
}
