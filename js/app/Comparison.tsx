// The layout of more than two models: the matrix, and below it the diff of the pair that is open.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Models } from "../matrix/Models";
import { PairTitle } from "../matrix/PairTitle";
import type { Place } from "../matrix/words";
import type { ComparisonView } from "../protocol/types";
import { useWidget } from "../state/context";
import { DiffFrame } from "./DiffFrame";
import { Help } from "./Help";
import { StatusLine } from "./StatusLine";
import { SaveButton } from "./Steps";

const NO_SWAP = "This pair was saved in this order only.";

/** Whether the diff of the two can be shown in this order. */
const isHeld = ({ openable }: ComparisonView, pair: Place) =>
  !openable || openable.some((held) => held.join() === pair.join());

export function Comparison({ comparison }: { comparison: ComparisonView }) {
  const { host, state, work, corner, help, onSave } = useWidget();
  const { title, open, closed, close } = useOpening();
  const [one = -1, two = -1] = state.view && !closed ? state.pair : [];
  const isOpen = one >= 0;
  const { kernel } = state;
  // The status of what the matrix started is shown below the matrix, the rest in the diff.
  const above = !isOpen || work.about === "pair" || work.about === "save";
  const quiet = { ...work, busy: null, error: null, notice: null };
  // the views of a page have the reason why it cannot be saved
  const savable = !state.view?.lacks?.save && comparison.openable?.length !== 0;
  const known = isOpen ? { ...kernel, unavailable: null } : kernel;
  return (
    <>
      <Models
        view={comparison}
        matrixOrder={state.matrix_order}
        pair={closed ? [] : state.pair}
        onOrder={(matrix_order) => host.set({ matrix_order })}
        onOpen={open}
      >
        {savable && (
          <SaveButton
            title="Download the matrix and the pairs that differ most as compare.html, an interactive page that needs no kernel"
            onClick={() => onSave("compare.html")}
          />
        )}
        {corner}
      </Models>
      <StatusLine work={above ? work : quiet} kernel={known} change={null} />
      {help && !isOpen && <Help many />}
      {isOpen && (
        <>
          <PairTitle
            title={title}
            names={[comparison.names[one] ?? "", comparison.names[two] ?? ""]}
            disabledReason={isHeld(comparison, [two, one]) ? null : NO_SWAP}
            onSwap={() => open([two, one], false)}
            onClose={close}
          />
          <DiffFrame key={state.pair.join()} many statusWork={above ? quiet : work} />
        </>
      )}
    </>
  );
}

/** Opens pairs, and brings the title of a diff into view once it is there; Enter brings the focus too. */
function useOpening() {
  const { host, state, work } = useWidget();
  const title = useRef<HTMLHeadingElement>(null);
  const wanted = useRef<"view" | "focus" | null>(null);
  const bring = () => {
    if (wanted.current === "focus") title.current?.focus({ preventScroll: true });
    if (wanted.current) title.current?.scrollIntoView?.({ block: "nearest" });
    wanted.current = null;
  };
  const shown = state.pair.join();
  /** The pair that the user closed, until one is opened. */
  const [closedPair, setClosedPair] = useState("");
  const closed = closedPair !== "" && closedPair === shown;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each pair
  useLayoutEffect(bring, [shown, closed]);
  const open = async ([i, j]: Place, byKey: boolean) => {
    wanted.current = byKey ? "focus" : "view";
    setClosedPair("");
    if (shown !== `${i},${j}`) await work.openPair([i, j]);
    // a page may hold a pair the other way round only, and show it already
    const { pair } = host.state();
    if (pair.includes(i) && pair.includes(j)) bring();
  };
  return { title, open, closed, close: () => setClosedPair(shown) };
}
