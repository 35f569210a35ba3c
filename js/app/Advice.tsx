// Suggestions: the last sentences of the headline, each with a button that applies it.

import { unavailableReason } from "../host/host";
import type { Change, DiffView } from "../protocol/types";
import { useDiff, useWidget } from "../state/context";
import { isPage } from "../state/useExplain";
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
}

export function Advice({ text, options }: AdviceProps) {
  const { state, work } = useWidget();
  const { view } = useDiff();
  const disabledReason = unavailableReason(state, "change");
  const known = options.tolerance !== undefined ? `Use ${options.tolerance}` : null;
  const name = isPage(view) ? null : options.given !== undefined ? "Try it" : known;
  return (
    <p class="imd-rest imd-advice">
      {text}{" "}
      {name && (
        <ActionButton
          id="imd-advice"
          disabledReason={disabledReason ?? (work.busy ? "Working…" : null)}
          busy={work.busy === "change"}
          title="Compare again with this option; Undo reverts it"
          onClick={() => work.change(options)}
        >
          {name}
        </ActionButton>
      )}
    </p>
  );
}
