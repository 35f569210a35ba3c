import type { RefObject } from "preact";
import { ActionButton } from "../ui/ActionButton";
import { Button } from "../ui/Button";
import { Line } from "../ui/Line";

interface PairTitleProps {
  title: RefObject<HTMLHeadingElement>;
  names: readonly [string, string];
  /** Why the two cannot change places; null if they can. */
  disabledReason: string | null;
  onSwap(): void;
  onClose(): void;
}

/** The two models of the diff below. */
export function PairTitle({
  title,
  names: [one, two],
  disabledReason,
  onSwap,
  onClose,
}: PairTitleProps) {
  return (
    <div class="imd-pair">
      <h3 ref={title} tabIndex={-1} data-testid="imd-pair">
        {one} (model 1) <Line /> vs. {two} (model 2) <Line dashed />
      </h3>
      <ActionButton
        id="imd-swap"
        disabledReason={disabledReason}
        busy={false}
        title={`Make ${two} model 1 and ${one} model 2`}
        onClick={onSwap}
      >
        Swap
      </ActionButton>
      <Button
        data-testid="imd-close-pair"
        title="Close this pair; the matrix stays"
        onClick={onClose}
      >
        Close
      </Button>
    </div>
  );
}
