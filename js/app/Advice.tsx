// The next thing to try: the last sentences of the headline, with a button that does it.

import { offFor } from "../host/host";
import type { Change, DiffView } from "../protocol/types";
import { useDiff } from "../state/context";
import type { KernelWork } from "../state/useKernelWork";
import { ActionButton } from "../ui/ActionButton";

/** The sentences of the headline but for the advice, and each advice with the options that it changes. */
export function splitAdvice({ sentences, advice }: DiffView["headline"]): {
  sentences: string[];
  advice: { text: string; options: Change }[];
} {
  const own = advice ?? [];
  const from = sentences.length - own.length;
  return {
    sentences: sentences.slice(0, from),
    advice: own.map((options, i) => ({ text: sentences[from + i] ?? "", options })),
  };
}

interface AdviceProps {
  text: string;
  options: Change;
  work: KernelWork;
}

export function Advice({ text, options, work }: AdviceProps) {
  const { state } = useDiff();
  const off = offFor(state, "change");
  const name =
    options.given !== undefined
      ? "Ask that"
      : options.tolerance !== undefined
        ? `Use ${options.tolerance}`
        : null;
  return (
    <p class="imd-rest imd-advice">
      {text}{" "}
      {name && (
        <ActionButton
          id="imd-advice"
          off={off ?? (work.busy ? "Working…" : null)}
          busy={work.busy === "change"}
          title="Compare again with this; Undo takes it back"
          onClick={() => work.change(options)}
        >
          {name}
        </ActionButton>
      )}
    </p>
  );
}
