// The fidelity of a surrogate, with a warning if it explains little of the difference.

import type { WhyView } from "../protocol/types";

interface TrustProps {
  fidelity: WhyView["fidelity"];
  technique: "decision tree" | "random forest" | "K-LIME";
  /** The fidelity of one of its trees. */
  more?: string;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export function Trust({ fidelity, technique, more }: TrustProps) {
  const trust = fidelity.find((one) => one.technique === technique);
  return trust ? (
    <p class={trust.warning ? "imd-trust is-low" : "imd-trust"} data-testid="imd-trust">
      {trust.warning && <span aria-hidden="true">⚠ </span>}
      {capital(trust.text)}
      {more}
    </p>
  ) : null;
}
