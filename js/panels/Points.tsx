// The points of the scores that a rule uses, and what each score means.

import type { RuleView } from "../protocol/types";

export function Points({ rule: { conditions } }: { rule: RuleView }) {
  const named = new Map(
    conditions.flatMap(({ column, score }) => (score ? [[column, score]] : [])),
  );
  return (
    <>
      {[...named].map(([column, { lines, meaning }]) => (
        <div key={column} class="imd-detail" data-testid="imd-points">
          {column}: {lines.join(", ")}. {meaning}
        </div>
      ))}
    </>
  );
}
