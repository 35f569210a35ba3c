import "./glyph.css";

/** The line that stands for a model: solid for model 1, dashed for model 2. */
export function Line({ dashed }: { dashed?: boolean }) {
  return (
    <svg class="imd-glyph" width="26" height="8" aria-hidden="true">
      <path d="M1,4H25" class={dashed ? "is-dashed" : ""} />
    </svg>
  );
}
