// The options that are on or off.

import type { Change } from "../protocol/types";
import { type Controls, changeDisabledReason } from "./controls";

const SURE =
  "Another question: rules use how sure the models are, a probability or a margin, and no column. They need it for new rows";
const SCORES =
  "Let rules use a sum of points over a few columns for each model; at 0 the model changes its prediction";
const SETS =
  "Let one split separate several levels of a category, sorted by how often the models differ";

interface FlagProps {
  controls: Controls;
  option: "scores" | "sets" | "sure";
  name: string;
  title: string;
  checked: boolean;
  changed: (checked: boolean) => Change;
}

function Flag({ controls, option, name, title, checked, changed }: FlagProps) {
  const disabledReason = changeDisabledReason(controls);
  return (
    <label class="imd-group" title={disabledReason ?? title}>
      <input
        type="checkbox"
        data-testid={`imd-${option}`}
        checked={checked}
        aria-disabled={disabledReason !== null}
        onChange={({ currentTarget: box }) => {
          if (disabledReason === null) controls.work.change(changed(box.checked));
          else box.checked = !box.checked;
        }}
      />
      <span class="imd-name">{name}</span>
    </label>
  );
}

/** Whether rules may use a score of each model. */
export function Scores(controls: Controls) {
  if (!controls.view.classes.length) return null;
  return (
    <Flag
      controls={controls}
      option="scores"
      name="Scores"
      title={SCORES}
      checked={controls.options.scores ?? false}
      changed={(scores) => ({ scores })}
    />
  );
}

/** Whether one split may separate several levels of a category. */
export function Sets(controls: Controls) {
  return (
    <Flag
      controls={controls}
      option="sets"
      name="Sets"
      title={SETS}
      checked={controls.options.sets ?? false}
      changed={(sets) => ({ sets })}
    />
  );
}

/** Whether rules use how sure the models are, in place of the columns. */
export function Sure(controls: Controls) {
  return (
    <Flag
      controls={controls}
      option="sure"
      name="How sure the models are"
      title={SURE}
      checked={controls.options.given === "margins"}
      changed={(sure) => ({ given: sure ? "margins" : "nothing" })}
    />
  );
}
