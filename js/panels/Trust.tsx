// How far a surrogate can be trusted; a warning where it knows little of the difference.

import type { WhyView } from "../protocol/types";

interface TrustProps {
  fidelity: WhyView["fidelity"];
  technique: "decision tree" | "random forest" | "K-LIME";
  /** Says how well one of its trees does. */
  more?: string;
}

export function Trust({ fidelity, technique, more }: TrustProps) {
  const trust = fidelity.find((one) => one.technique === technique);
  return trust ? (
    <p class={trust.warning ? "imd-trust is-low" : "imd-trust"} data-testid="imd-trust">
      {trust.warning && <span aria-hidden="true">⚠ </span>}
      {trust.text}
      {more}
    </p>
  ) : null;
}
