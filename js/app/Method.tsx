// The method that finds the rules, and alpha of the paper's.

import type { Change } from "../protocol/types";
import { type Controls, changeDisabledReason } from "./controls";
import { Entry } from "./Options";
import { METHODS } from "./optionsText";

const TITLE =
  "calibrated: regions in which the models differ. paper: the joint tree of the paper, with a rule for each pair of leaves. separate: a tree for each model. direct: one tree for the difference";
const ALPHA =
  "Condition (5) of the paper: the surrogates part where their own splits cost at most this share of the best common split; leave empty for condition (6)";

export function Method(props: Controls) {
  const { options, work } = props;
  const disabledReason = changeDisabledReason(props);
  const { method, alpha = null } = options;
  if (!method) return null;
  return (
    <>
      <label class="imd-group" title={disabledReason ?? TITLE}>
        <span class="imd-name">Method</span>
        <select
          class="imd-given"
          data-testid="imd-method"
          value={method}
          aria-disabled={disabledReason !== null}
          onChange={({ currentTarget: choice }) => {
            if (disabledReason === null) work.change({ method: choice.value as Change["method"] });
            else choice.value = method;
          }}
        >
          {Object.entries(METHODS).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {method === "imd" && (
        <Entry
          id="imd-alpha"
          name="Alpha"
          title={ALPHA}
          value={alpha === null ? "" : String(alpha)}
          placeholder="none"
          disabledReason={disabledReason}
          onEnter={(text) => {
            const number = Number(text.replace(",", "."));
            if (text === "" || text === "none") work.change({ alpha: null });
            else if (Number.isNaN(number)) return false;
            else work.change({ alpha: number });
            return true;
          }}
        />
      )}
    </>
  );
}
