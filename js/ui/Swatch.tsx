import "./Swatch.css";

/** The colour of what a model says, beside the words for it. */
export function Swatch({ color }: { color: string }) {
  return <i class="imd-swatch" style={{ background: color }} aria-hidden="true" />;
}
