// The summary of the diff, in sentences.

import type { HeadlineView } from "../protocol/types";
import { Advice, splitAdvice } from "./Advice";
import "./Headline.css";

export function Headline({ headline }: { headline: HeadlineView }) {
  const { sentences, advice } = splitAdvice(headline);
  const [first, ...rest] = sentences;
  return (
    <header class={`imd-headline is-${headline.tone}`} data-testid="imd-headline">
      <p class="imd-first">{first}</p>
      {rest.length > 0 && (
        <p class="imd-rest">
          {headline.tone === "weak" && (
            <svg class="imd-caution" width="14" height="14" viewBox="0 0 14 14" role="img">
              <title>Caution</title>
              <path d="M7,1.2L13.2,12.4H0.8Z" />
              <path d="M7,5.2V8.4M7,10.1V10.7" class="is-mark" />
            </svg>
          )}
          {rest.join(" ")}
        </p>
      )}
      {headline.notes.map((note) => (
        <p key={note} class="imd-note">
          {note}
        </p>
      ))}
      {advice.map(({ text, options }) => (
        <Advice key={text} text={text} options={options} />
      ))}
    </header>
  );
}
