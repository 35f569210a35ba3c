// The player below the tree while it grows: where it is, what was compared at the present node, and what followed.

import type { Growth } from "../state/useGrowth";
import { plural, rough } from "../text/format";
import { Button } from "../ui/Button";
import { CloseButton } from "../ui/CloseButton";
import "./GrowthPlayer.css";

export function GrowthPlayer({ growth, names }: { growth: Growth; names: readonly string[] }) {
  const { steps, at, playing, go, stop } = growth;
  const step = steps[at];
  if (!step) return null;
  const last = steps.length - 1;
  const button = (sign: string, label: string, to: number, play = false) => (
    <Button
      data-growth={label}
      aria-label={label}
      title={label}
      aria-disabled={to < 0 || to > last}
      onClick={() => to >= 0 && to <= last && go(to, play)}
    >
      {sign}
    </Button>
  );
  const compared = [
    ["imp1", names[0], step.imp1, step.split1],
    ["imp2", names[1], step.imp2, step.split2],
    ["imp12", "both", step.imp12, step.split12],
  ] as const;
  return (
    <div class="imd-growth" data-testid="imd-growth">
      <p>
        <span class="imd-group">
          {button("«", "First step", 0)}
          {button("‹", "Previous step", at - 1)}
          {playing
            ? button("❚❚", "Pause", at)
            : button("▶", "Play", at < last ? at + 1 : 0, at !== last - 1)}
          {button("›", "Next step", at + 1)}
          {button("»", "Last step", last)}
        </span>
        <b data-testid="imd-growth-at">
          Step {at + 1} of {steps.length}
        </b>
        <CloseButton label="Show the whole tree" byKey onClick={stop} />
      </p>
      <p role="status">
        <b>{step.chosen ?? plural(step.rows, "row")}</b>. {step.reason}
      </p>
      {step.imp12 !== null && (
        <dl title="Impurity that the best split leaves, per row: for model 1, for model 2, and for both with one common split">
          {compared.map(([imp, name, left, split]) => (
            <div key={imp}>
              <dt>
                {imp} {name}
              </dt>
              <dd>
                <b>{rough(left ?? 0)}</b>{" "}
                {split ?? (
                  <span
                    class="imd-soft"
                    title="The page holds no thresholds and categories other than those of the tree"
                  >
                    a split that this page leaves out
                  </span>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
