// "How to read this": each mark of the picture, drawn as it appears in the tree.

import type { ComponentChildren } from "preact";
import type { DiffView } from "../protocol/types";
import { useWidget } from "../state/context";
import { isPage } from "../state/useExplain";
import { intervalText } from "../text/format";
import { CloseButton } from "../ui/CloseButton";
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

const Bars = ({ view }: { view: DiffView }) => {
  const [one, two] = view.names;
  return (
    <>
      <Entry
        glyph={
          <>
            <path d="M1,20H24" class="is-box" />
            <path d="M24,20H44" class="is-wide" />
            <path d="M44,20H62" class="is-wide is-dashed" />
          </>
        }
      >
        <b>The bar at the top</b> is all rows, to scale: those on which the models agree, those
        inside a rule, and (hatched) differences that no rule covers.
        {view.headline.truth &&
          ` The second bar is what going from ${one} to ${two} breaks (left) and fixes (right).`}
      </Entry>
      <Entry
        glyph={
          <>
            <path d="M1,20H30" class="is-wide" />
            <path d="M30,20H62" class="is-box" />
          </>
        }
      >
        <b>The bar of a rule</b> is as long as its rows are many; the dark part is the share that
        differs. “7 of 12 held-out rows” is how many differ of the rows that were not used to find
        the rule. <i>Confirmed</i>: more than elsewhere, beyond chance; the others are hints.
      </Entry>
      {view.outputs.kind === "class" && (
        <Entry
          glyph={
            <>
              <path d="M1,13H30V27H1ZM30,13H50V27H30ZM50,13H62V27H50Z" class="is-box" />
              <path d="M1,20H62" class="is-line" />
            </>
          }
        >
          <b>The bar of pairs:</b> the outputs on the differing rows of a rule, {one} above and{" "}
          {two} below; the longest part is the pair that is named.
        </Entry>
      )}
    </>
  );
};

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
      <b>A split.</b> Rows that meet the condition follow <i>yes</i>, the others <i>no</i>. Thicker
      lines carry more rows. Both models share these splits.
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
      <b>The models differ here.</b> The number counts the rows on which they{" "}
      {differs ? `are ${differs}` : "differ"}. Unfold it to see why: shared splits, then two
      branches over the <em>same</em> rows, solid for {one} and dashed for {two}.
    </Entry>
  );
}

function RegionPair({ names: [one, two] }: DiffView) {
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
      <b>Both models in one region:</b> {one} above, {two} below. ≠ marks a rule, with the share of
      its rows on which the models differ. Each half shows its model's most frequent output, so both
      may be the same; the rule shows the outputs where they differ.
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
          <b>A hatched edge</b> marks a leaf in which the output varies; the bar and the percentage
          show how often it is the one shown.
        </>
      ) : (
        <>
          <b>A leaf</b> shows its model's mean output, and its position on the scale. A hatched edge
          means that rows vary around it by about ±.
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
      <b>Who is right:</b> the rows of a rule on which only {one} is{" "}
      {right?.within ? `${right.within} of y` : "right"} (solid), only {two} (dashed), neither
      (empty) or both (pale).
    </Entry>
  );
}

const MEASURED = {
  holdout: "on held-out rows",
  cv: "by five-fold cross-fitting",
  none: "on the rows used to fit",
};

function Figures({ metrics }: DiffView) {
  const { measured_by, on_holdout, mcc, explained, f1_over_always } = metrics;
  const how = MEASURED[measured_by ?? (on_holdout ? "holdout" : "none")];
  const ends = metrics.precision_interval && intervalText(metrics.precision_interval);
  const of = (number: number | null, words: string) =>
    number !== null && ` ${words} ${number.toFixed(2)}.`;
  return (
    <p data-testid="imd-figures">
      <b>Figures.</b> The headline is measured {how}; the tree counts the rows used to fit.
      {ends && ` “${ends}” is a 95 % confidence interval.`} A grey box has no rules: the models
      agree there, or too few rows differ.
      {of(mcc, "Matthews correlation between being in a rule and differing:")}
      {of(explained, "Share of the entropy explained by the rules:")}
      {of(f1_over_always, "F1 gain over a rule that covers all rows:")}
    </p>
  );
}

interface HelpProps {
  /** Undefined where no diff is shown. */
  view?: DiffView | undefined;
  /** Whether there is a matrix of models. */
  many: boolean;
}

export function Help({ view, many }: HelpProps) {
  const { closeHelp } = useWidget();
  return (
    <section class={`imd-help${view ? "" : " is-alone"}`} aria-label="How to read this">
      <h3>How to read this</h3>
      <CloseButton label="Close" onClick={closeHelp} />
      {many && <MatrixHelp />}
      {view && <DiffHelp {...view} />}
    </section>
  );
}

function MatrixHelp() {
  return (
    <p>
      <b>The matrix.</b> A cell shows the share of rows on which two models differ: the stronger its
      shade, the more. Click it to see where; its row is model 1, its column model 2. Keys: arrows,
      Home and End move, Enter opens the pair, Esc returns to its cell, <kbd>?</kbd> opens this
      help.
    </p>
  );
}

function DiffHelp(view: DiffView) {
  const page = isPage(view);
  return (
    <>
      <ul>
        <Bars view={view} />
        <Question />
        <Difference {...view} />
        <RegionPair {...view} />
        <Leaf {...view} />
        {view.right && <WhoIsRight {...view} />}
      </ul>
      <Figures {...view} />
      <p>
        <b>Controls.</b> Sort by gain lists the rules by what each adds to those before it.{" "}
        <i>Refine</i> adds splits where rules are imprecise. <i>Step through growth</i> shows how
        the tree was found, with the reason for each step. <i>Why</i> shows what each column
        contributes to the gap between the models on the selected rows
        {page ? "." : ", and lets you edit the values of a traced row."}
      </p>
      <p class="imd-keys">
        Click a box to list its rules, a rule to highlight its path (Shift adds). Drag to pan, Ctrl
        or ⌘ + wheel to zoom. Keys: arrows, Enter, <kbd>n</kbd> and <kbd>p</kbd> next and previous
        difference, <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> zoom, <kbd>/</kbd> search, <kbd>?</kbd>{" "}
        help. Esc clears one thing at a time
        {!page &&
          ", finally the focus; Tab and Shift + Tab then leave the widget. The notebook gets no keys pressed here except Ctrl or ⌘ + S"}
        .
      </p>
    </>
  );
}
