import type { RefObject } from "preact";
import { ActionButton } from "../ui/ActionButton";
import { Line } from "../ui/Line";

interface PairTitleProps {
  title: RefObject<HTMLHeadingElement>;
  names: readonly [string, string];
  /** Why the two cannot change places; null if they can. */
  disabledReason: string | null;
  onSwap(): void;
}

/** The two models of the diff below. */
export function PairTitle({ title, names: [one, two], disabledReason, onSwap }: PairTitleProps) {
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
    </div>
  );
}
