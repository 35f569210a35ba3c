// The summary of the diff: how often the models differ, as a bar of all rows, one sentence, and the rest on demand.

import { useState } from "preact/hooks";
import type { HeadlineView } from "../protocol/types";
import { useDiff, useWidget } from "../state/context";
import { TextButton } from "../ui/Button";
import { Advice, splitAdvice } from "./Advice";
import { RowsBar, TruthBar } from "./RowsBar";
import "./Headline.css";

export function Headline({ headline }: { headline: HeadlineView }) {
  const { uid } = useDiff();
  const { printing } = useWidget();
  const [open, setOpen] = useState(false);
  const { sentences, advice } = splitAdvice(headline);
  const { notes, tone } = headline;
  const [first, ...rest] = sentences;
  // A notebook that was saved by an earlier release has the sentences only.
  const { bar = [], truth = null, short = rest.join(" ") } = headline;
  const details = [...(rest.length > 0 ? [rest.join(" ")] : []), ...notes];
  const shown = open || printing;
  return (
    <header class={`imd-headline is-${tone}`} data-testid="imd-headline">
      <p class="imd-first">{first?.replace(/ %/g, "\u00a0%")}</p>
      <div class="imd-head-bars">
        <RowsBar bar={bar} />
        {truth && <TruthBar truth={truth} title={notes.at(-1) ?? ""} />}
      </div>
      <p class="imd-rest">
        {short !== "" && tone === "weak" && <Caution />}
        {short}{" "}
        {details.length + advice.length > 1 - Number(details.length > 0) && (
          <TextButton
            data-testid="imd-details"
            aria-expanded={shown}
            aria-controls={`${uid}-details`}
            onClick={() => setOpen(!open)}
          >
            {shown ? "Less" : "All figures"}
          </TextButton>
        )}
      </p>
      <div id={`${uid}-details`} class="imd-details" hidden={!shown}>
        {shown && details.map((text) => <p key={text}>{text}</p>)}
      </div>
      {advice.slice(0, shown ? advice.length : 1).map(({ text, options }) => (
        <Advice key={text} text={text} options={options} />
      ))}
    </header>
  );
}

function Caution() {
  return (
    <svg class="imd-caution" width="14" height="14" viewBox="0 0 14 14" role="img">
      <title>Caution</title>
      <path d="M7,1.2L13.2,12.4H0.8Z" />
      <path d="M7,5.2V8.4M7,10.1V10.7" class="is-mark" />
    </svg>
  );
}
