// "How to read this": each mark of the picture, drawn as it appears in the tree.

import type { ComponentChildren } from "preact";
import type { DiffView } from "../protocol/types";
import { Button } from "../ui/Button";
import "./Help.css";
import "../ui/glyph.css";

function Entry({ glyph, children }: { glyph: ComponentChildren; children: ComponentChildren }) {
  return (
    <li>
      <svg class="imd-glyph" width="64" height="40" viewBox="0 0 64 40" aria-hidden="true">
        {glyph}
      </svg>
      <p>{children}</p>
    </li>
  );
}

function Question() {
  return (
    <Entry
      glyph={
        <>
          <rect x="1" y="9" width="32" height="22" rx="11" class="is-box" />
          <path d="M33,20C46,20 44,8 62,8" class="is-wide" />
          <path d="M33,20C46,20 44,32 62,32" class="is-line" />
        </>
      }
    >
      <b>A question about a row.</b> Rows for which it holds follow <i>yes</i>, the others <i>no</i>
      . Thicker lines carry more rows. Up to here one question serves both models.
    </Entry>
  );
}

function Difference({ names: [one, two], outputs: { differs } }: DiffView) {
  return (
    <Entry
      glyph={
        <>
          <circle cx="15" cy="20" r="13" class="is-dotted" />
          <path d="M28,20H40M62,6H40V34" class="is-line" />
          <path d="M40,34H62" class="is-line is-dashed" />
        </>
      }
    >
      <b>Here the models differ.</b> The number says on how many rows
      {differs && ` they are ${differs}`}. Unfold it to see how they decide there: perhaps more
      questions that they share, then two branches with the <em>same</em> rows, the solid one for{" "}
      {one}, the dashed one for {two}.
    </Entry>
  );
}

function Verdicts({ names: [one, two] }: DiffView) {
  return (
    <Entry
      glyph={
        <>
          <path d="M1,20V10Q1,5 6,5H34Q39,5 39,10V20Z" class="is-box" />
          <path d="M1,20V30Q1,35 6,35H34Q39,35 39,30V20Z" class="is-box is-dashed" />
          <text x="45" y="25" class="is-sign">
            ≠
          </text>
        </>
      }
    >
      <b>Two verdicts on one region:</b> {one} above, {two} below. The ≠ says that this is a rule,
      and on which share of the rows inside the models really differ. Each half says what its model
      says most often, so both may say the same: the rule then tells what they say on the rows where
      they differ.
    </Entry>
  );
}

function Leaf({ outputs: { kind } }: DiffView) {
  return (
    <Entry
      glyph={
        <>
          <rect x="1" y="6" width="44" height="28" rx="5" class="is-box" />
          <path d="M2,14L9,7M2,22L9,15M2,30L9,23M5,33L9,29" class="is-line" />
          <path d={kind === "class" ? "M15,27H33" : "M25,27H29"} class="is-wide" />
          {kind !== "class" && <path d="M15,27H39" class="is-line" />}
        </>
      }
    >
      {kind === "class" ? (
        <>
          <b>A hatched edge</b> marks a leaf where the model says more than one thing; the bar and
          the percentage tell how often it says what is written.
        </>
      ) : (
        <>
          <b>A leaf</b> gives the mean of what its model says; the mark on the line is its place
          between the ends of the scale. A hatched edge means that single rows lie about as far from
          it as ± tells.
        </>
      )}
    </Entry>
  );
}

function WhoIsRight({ names: [one, two], right }: DiffView) {
  return (
    <Entry
      glyph={
        <>
          <path d="M2,20H20" class="is-wide" />
          <path d="M22,20H44" class="is-wide is-dashed" />
          <rect x="46" y="18" width="16" height="4" class="is-box" />
        </>
      }
    >
      <b>Who is right:</b> the rows inside a rule on which only {one} is{" "}
      {right?.within ? `${right.within} of y ` : ""}(solid), only {two} (dashed), neither (empty) or
      both (pale).
    </Entry>
  );
}

const MEASURED = {
  holdout: "on rows kept aside",
  cv: "by cross-fitting in five folds",
  none: "on the rows used to fit",
};

function Figures({ metrics }: DiffView) {
  const { measured_by, on_holdout, mcc, explained, f1_over_always } = metrics;
  const how = MEASURED[measured_by ?? (on_holdout ? "holdout" : "none")];
  const of = (number: number | null, words: string) =>
    number !== null && ` ${words} ${number.toFixed(2)}.`;
  return (
    <p data-testid="imd-figures">
      <b>Figures.</b> The headline is measured {how}, the tree counts the rows used to fit. “19 to
      81 %” is the 95 % interval of a rate on other rows, written where it is wide. A grey box is a
      part without a rule: the models agree there, or too few rows differ.
      {of(mcc, "Matthews’ correlation of being inside a rule and differing:")}
      {of(explained, "Share of the entropy that the rules explain:")}
      {of(f1_over_always, "F1 above that of a rule that always holds:")}
    </p>
  );
}

interface HelpProps {
  /** Undefined where no diff is shown. */
  view?: DiffView | undefined;
  /** Whether there is a matrix of models. */
  many: boolean;
  onClose: () => void;
}

export function Help({ view, many, onClose }: HelpProps) {
  return (
    <section class={`imd-help${view ? "" : " is-alone"}`} aria-label="How to read this">
      <h3>How to read this</h3>
      <Button class="imd-close" aria-label="Close" onClick={onClose}>
        ×
      </Button>
      {many && <MatrixHelp />}
      {view && <DiffHelp {...view} />}
    </section>
  );
}

function MatrixHelp() {
  return (
    <p>
      <b>The matrix.</b> A cell says on which share of the rows two models differ: the stronger its
      shade, the more. Click it to see where: the model of the line is then model 1, the model of
      the column model 2. Keys: arrows, Home and End move, Enter goes to the diff of the pair, Esc
      comes back to its cell, <kbd>?</kbd> this.
    </p>
  );
}

function DiffHelp(view: DiffView) {
  return (
    <>
      <ul>
        <Question />
        <Difference {...view} />
        <Verdicts {...view} />
        <Leaf {...view} />
        {view.right && <WhoIsRight {...view} />}
      </ul>
      <Figures {...view} />
      <p>
        <b>Why.</b> The tab asks both models what they would say if one column of the selected rows
        had other values. A trace adds the row’s own curves and reason codes.
      </p>
      <p class="imd-keys">
        Click a box to list its rules, a rule to light its path (Shift adds). Drag to move, Ctrl or
        ⌘ + wheel to zoom. Keys: arrows, Enter, <kbd>n</kbd> and <kbd>p</kbd> next and previous
        difference, <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd>, <kbd>/</kbd> search, <kbd>?</kbd> this.
        Esc lets go of one thing at a time, at last of the control that has the focus; Tab and Shift
        + Tab then leave the widget. A notebook gets none of the keys that are pressed in here, save
        Ctrl or ⌘ + S.
      </p>
    </>
  );
}
