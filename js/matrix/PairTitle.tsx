import type { RefObject } from "preact";
import { ActionButton } from "../ui/ActionButton";
import { Line } from "../ui/Line";

interface PairTitleProps {
  title: RefObject<HTMLHeadingElement>;
  names: readonly [string, string];
  /** Why the two cannot change places; null if they can. */
  off: string | null;
  onSwap(): void;
}

/** Which two models the diff below is about. */
export function PairTitle({ title, names: [one, two], off, onSwap }: PairTitleProps) {
  return (
    <div class="imd-pair">
      <h3 ref={title} tabIndex={-1} data-testid="imd-pair">
        {one} (model 1) <Line /> against {two} (model 2) <Line dashed />
      </h3>
      <ActionButton
        id="imd-swap"
        off={off}
        busy={false}
        title={`${two} as model 1, ${one} as model 2`}
        onClick={onSwap}
      >
        Swap
      </ActionButton>
    </div>
  );
}
