// What the marks mean, always in sight: a bracket taken for a split is the likeliest misreading.

import { classColor } from "../colors";
import { count } from "../format";
import type { DiffView } from "../types";

/** More would push the tree off the screen; every box names its class anyway. */
const MOST_CLASSES = 8;

export function Swatch({ index }: { index: number }) {
  return <i class="imd-swatch" style={{ background: classColor(index) }} aria-hidden="true" />;
}

export function Line({ dashed }: { dashed?: boolean }) {
  return (
    <svg class="imd-glyph" width="26" height="8" aria-hidden="true">
      <path d="M1,4H25" class={dashed ? "is-dashed" : ""} />
    </svg>
  );
}

export function Legend({ view }: { view: DiffView }) {
  const classes = view.classes.slice(0, MOST_CLASSES);
  const fitted = view.nodes[0]?.rows ?? view.metrics.n_rows;
  return (
    <div class="imd-legend">
      {classes.map((name, i) => (
        <span key={i} title={name}>
          <Swatch index={i} />
          <b>{name}</b>
        </span>
      ))}
      {view.classes.length > MOST_CLASSES && (
        <span>and {view.classes.length - MOST_CLASSES} more</span>
      )}
      <span title={`Solid lines belong to ${view.names[0]}`}>
        <Line />
        <b>{view.names[0]}</b>
      </span>
      <span title={`Dashed lines belong to ${view.names[1]}`}>
        <Line dashed />
        <b>{view.names[1]}</b>
      </span>
      <span>
        <svg class="imd-glyph" width="24" height="16" aria-hidden="true">
          <circle cx="7" cy="8" r="5.5" class="is-dotted" />
          <path d="M13,8H16M23,2H17V14" class="is-thin" />
          <path d="M17,14H23" class="is-thin is-dashed" />
        </svg>
        same rows, seen by both models
      </span>
      {fitted < view.metrics.n_rows && (
        <span title="The others were kept aside, to measure the rules on rows they were not made from">
          counts: the {count(fitted)} rows used to fit
        </span>
      )}
    </div>
  );
}
