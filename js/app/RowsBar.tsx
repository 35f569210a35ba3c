// The headline as a picture: all rows by whether the models differ and a rule covers them, and what a change of models
// fixes and breaks. Lengths and words come from Python.

import type { HeadlineView } from "../protocol/types";
import { amount, percent } from "../text/format";
import "./RowsBar.css";

type Parts = HeadlineView["bar"];
type Truth = NonNullable<HeadlineView["truth"]>;

export function RowsBar({ bar }: { bar: Parts }) {
  if (bar.length === 0) return null;
  const words = bar.map(({ text, share }) => `${percent(share)} of the rows: ${text}`);
  return (
    <figure class="imd-rows-bar" data-testid="imd-bar">
      <div class="imd-bar-parts" role="img" aria-label={`${words.join(". ")}.`}>
        {bar.map(({ kind, length, cut }, i) => (
          <i
            key={kind}
            class={`is-${kind}${cut ? " is-cut" : ""}`}
            style={{ flexGrow: length }}
            title={words[i]}
          />
        ))}
      </div>
      <ul class="imd-bar-key" aria-hidden="true">
        {bar.map(({ kind, text }) => (
          <li key={kind}>
            <i class={`is-${kind}`} />
            {text}
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** Breaks to the left of the middle, fixes to the right, on one scale; the key is in the same order. */
export function TruthBar({ truth, title }: { truth: Truth; title: string }) {
  const { fixes, breaks, net } = truth;
  const most = Math.max(fixes, breaks, 1e-9);
  const half = (kind: string, rows: number) => (
    <span class={`imd-truth-half is-${kind}`}>
      <i style={{ width: `${(100 * rows) / most}%` }} />
    </span>
  );
  const key = (kind: string, rows: number) => (
    <span>
      <i class={`is-${kind}`} /> {kind} {amount(rows)}
    </span>
  );
  return (
    <figure class="imd-truth-bar" data-testid="imd-truth" title={title}>
      <div class="imd-bar-parts" aria-hidden="true">
        {half("breaks", breaks)}
        {half("fixes", fixes)}
      </div>
      <figcaption class="imd-bar-key">
        <span class="imd-soft">With y:</span>
        {key("breaks", breaks)} · {key("fixes", fixes)} · <b>{net}</b>
      </figcaption>
    </figure>
  );
}
