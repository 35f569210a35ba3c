// The linear models of K-LIME that imitate one model: what each is worth, and its coefficients.

import { useState } from "preact/hooks";
import type { ImitationView } from "../protocol/types";
import { count, rough, signedOn } from "../text/format";
import { TextButton } from "../ui/Button";

/** Features that are shown at first. */
const FIRST = 8;

export function LinearModels({ features, linear }: Pick<ImitationView, "features" | "linear">) {
  const [all, setAll] = useState(false);
  const size = (at: number) =>
    Math.max(...linear.map(({ coefficients }) => Math.abs(coefficients[at] ?? 0)));
  const order = features.map((_, at) => at).sort((a, b) => size(b) - size(a));
  const shown = all ? order : order.slice(0, FIRST);
  const signed = signedOn(size(order[0] ?? 0));
  const facts = [
    { name: "rows", of: linear.map(({ rows }) => count(rows)) },
    { name: "R² held out", of: linear.map(({ r2 }) => (r2 === null ? "–" : rough(r2))) },
    { name: "mean score", of: linear.map(({ intercept }) => rough(intercept)) },
  ];
  return (
    <section data-testid="imd-linear">
      <h4>Linear models that imitate it (K-LIME)</h4>
      <p class="imd-why-key">Coefficients per standard deviation; the largest first.</p>
      <table class="imd-linear">
        <thead>
          <tr>
            <td />
            {linear.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[
            ...facts,
            ...shown.map((at) => ({
              name: features[at] ?? "",
              of: linear.map(({ coefficients }) => signed(coefficients[at] ?? 0)),
            })),
          ].map(({ name, of }, i) => (
            <tr key={i}>
              <th scope="row">{name}</th>
              {of.map((text, j) => (
                <td key={j}>{text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {features.length > FIRST && (
        <TextButton aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show fewer features" : `Show all ${features.length} features`}
        </TextButton>
      )}
    </section>
  );
}
