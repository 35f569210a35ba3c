// What the marks mean. It is always shown, because a bracket is easily taken for a split.

import type { DiffView, OutputsView } from "../protocol/types";
import { count } from "../text/format";
import { classColor, colored, SCALE_GRADIENT } from "../ui/colors";
import { Line } from "../ui/Line";
import { Swatch } from "../ui/Swatch";
import "./Legend.css";
import "../ui/glyph.css";

/** Those that have a colour: more would push the tree off the screen, and every box names its class anyway. */
function Classes({ classes, outputs }: Pick<DiffView, "classes" | "outputs">) {
  const shown = colored(outputs, classes).toSorted((a, b) => a - b);
  const more = classes.length - shown.length;
  return (
    <>
      {shown.map((label) => (
        <span key={label} title={classes[label]}>
          <Swatch color={classColor(outputs, label)} />
          <b>{classes[label]}</b>
        </span>
      ))}
      {more > 0 && (
        <span title="Only the classes with the most differing rows have a colour">
          and {count(more)} more
        </span>
      )}
    </>
  );
}

function Scale({ outputs }: { outputs: OutputsView }) {
  const { what, low_text, high_text, differs } = outputs;
  return (
    <>
      <span title={`${what}, from ${low_text} to ${high_text}`}>
        <b class="imd-what">{what}</b> {low_text}
        <i class="imd-scale" style={{ background: SCALE_GRADIENT }} aria-hidden="true" />
        {high_text}
      </span>
      {differs && <span>differ: {differs}</span>}
    </>
  );
}

/** What the colours mean. */
export const Colors = (view: Pick<DiffView, "classes" | "outputs">) =>
  view.outputs.kind === "class" ? <Classes {...view} /> : <Scale outputs={view.outputs} />;

export function Legend({ view }: { view: DiffView }) {
  const { outputs } = view;
  const fitted = view.nodes[0]?.rows ?? view.metrics.n_rows;
  return (
    <div class="imd-legend">
      <Colors {...view} />
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
        same rows, as seen by each model
      </span>
      {fitted < view.metrics.n_rows && (
        <span title="The others are held out: on them the rules are measured">
          counts: the {count(fitted)} rows used to fit
        </span>
      )}
      {outputs.weighted && (
        <span title="Percentages are weighted, counts are not">weighted percentages</span>
      )}
    </div>
  );
}
