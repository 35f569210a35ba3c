// The layout of more than two models: the matrix, and below it the diff of the pair that is open.

import { useLayoutEffect, useRef } from "preact/hooks";
import { offFor } from "../host/host";
import { Models } from "../matrix/Models";
import { PairTitle } from "../matrix/PairTitle";
import type { Place } from "../matrix/words";
import type { ComparisonView } from "../protocol/types";
import { DiffFrame, type Frame } from "./DiffFrame";
import { Help } from "./Help";
import { StatusLine } from "./StatusLine";
import { SaveButton } from "./Steps";

const NO_SWAP = "These two are held in this order only.";

export function Comparison({ comparison, ...frame }: Frame & { comparison: ComparisonView }) {
  const { host, state, work } = frame;
  const { title, open } = useOpening(frame);
  const [one = -1, two = -1] = state.view ? state.pair : [];
  const isOpen = one >= 0;
  const { kernel } = state;
  // What the matrix asked for is told below the matrix, the rest in the diff.
  const above = !isOpen || work.about === "pair" || work.about === "save";
  const quiet = { ...work, busy: null, error: null, notice: null };
  // a page says that it cannot be saved, in each of its diffs
  const savable = !state.view?.lacks?.save && comparison.openable?.length !== 0;
  const known = isOpen ? { ...kernel, off: null } : kernel;
  return (
    <>
      <Models
        view={comparison}
        matrixOrder={state.matrix_order}
        pair={state.pair}
        onOrder={(matrix_order) => host.set({ matrix_order })}
        onOpen={open}
      >
        {savable && (
          <SaveButton
            work={work}
            off={(action) => offFor(state, action)}
            title="Download the matrix and the pairs that differ most as one page, compare.html: interactive, without a kernel"
            onClick={() => frame.onSave("compare.html")}
          />
        )}
        {frame.corner}
      </Models>
      <StatusLine work={above ? work : quiet} kernel={known} change={null} />
      {frame.help && !isOpen && <Help many onClose={frame.closeHelp} />}
      {isOpen && (
        <>
          <PairTitle
            title={title}
            names={[comparison.names[one] ?? "", comparison.names[two] ?? ""]}
            off={comparison.openable ? NO_SWAP : null}
            onSwap={() => open([two, one], false)}
          />
          <DiffFrame key={state.pair.join()} many {...frame} told={above ? quiet : work} />
        </>
      )}
    </>
  );
}

/** Opens pairs, and brings the title of a diff into view once it is there; Enter brings the focus too. */
function useOpening({ host, state, work }: Frame) {
  const title = useRef<HTMLHeadingElement>(null);
  const wanted = useRef<"view" | "focus" | null>(null);
  const bring = () => {
    if (wanted.current === "focus") title.current?.focus({ preventScroll: true });
    if (wanted.current) title.current?.scrollIntoView?.({ block: "nearest" });
    wanted.current = null;
  };
  const shown = state.pair.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each pair
  useLayoutEffect(bring, [shown]);
  const open = async ([i, j]: Place, byKey: boolean) => {
    wanted.current = byKey ? "focus" : "view";
    if (shown !== `${i},${j}`) await work.openPair([i, j]);
    // a page may hold a pair the other way round only, and show it already
    const { pair } = host.state();
    if (pair.includes(i) && pair.includes(j)) bring();
  };
  return { title, open };
}
