// The options that can be changed without calling the models again.

import type { Change } from "../protocol/types";
import { percent } from "../text/format";
import { ActionButton } from "../ui/ActionButton";
import { Button } from "../ui/Button";
import { type Controls, changeDisabledReason } from "./controls";

/** The largest depth that Python accepts. */
const DEEPEST = 30;
const SENSITIVITY =
  "Share of the differing rows that the rules should cover; a lower share makes them more precise";
const GIVEN =
  "Let rules condition on one model's output: more precise if that model is hard to describe";
const MOST_RULES = "Maximum number of rules; leave empty for no limit";
const TOLERANCE =
  "Outputs differ if they are further apart than this; for values also a share of the larger one, such as 10 %";

export function Depth(props: Controls) {
  const { options, work } = props;
  const disabledReason = changeDisabledReason(props);
  const depth = options.max_depth;
  const step = (id: string, label: string, sign: string, to: number, end: string | null) => (
    <ActionButton
      id={id}
      label={label}
      disabledReason={disabledReason ?? end}
      busy={work.busy === "change"}
      title={label}
      onClick={() => work.change({ max_depth: to })}
    >
      {sign}
    </ActionButton>
  );
  return (
    <span
      class="imd-group"
      title={disabledReason ?? "Maximum depth of the tree: shallower trees are easier to read"}
    >
      <span class="imd-name">Depth</span>
      {step(
        "imd-less",
        "Decrease depth",
        "−",
        depth - 1,
        depth > 1 ? null : "The minimum depth is 1",
      )}
      <output class="imd-depth" data-testid="imd-depth">
        {depth}
      </output>
      {step(
        "imd-more",
        "Increase depth",
        "+",
        depth + 1,
        depth < DEEPEST ? null : `The maximum depth is ${DEEPEST}`,
      )}
    </span>
  );
}

export function Sensitivity(props: Controls) {
  const { options } = props;
  const { change } = props.work;
  const disabledReason = changeDisabledReason(props);
  const auto = options.sensitivity === null;
  // about where the best balance is: the rules cover as much as they should
  const at = options.sensitivity ?? Math.round(props.view.metrics.recall * 20) / 20;
  return (
    <span class="imd-tune" title={disabledReason ?? SENSITIVITY}>
      <label>
        <span class="imd-name">Sensitivity</span>
        <input
          type="range"
          data-testid="imd-sensitivity"
          class={auto ? "is-auto" : undefined}
          min="0"
          max="1"
          step="0.05"
          value={at}
          aria-disabled={disabledReason !== null}
          aria-valuetext={auto ? `automatic, about ${percent(at)}` : percent(at)}
          onInput={({ currentTarget: slider }) => {
            if (disabledReason === null) change({ sensitivity: Number(slider.value) });
            else slider.value = String(at);
          }}
        />
        <output class="imd-at" data-testid="imd-sensitivity-at">
          {auto ? `≈ ${percent(at)}` : percent(at)}
        </output>
      </label>
      <Button
        class="imd-auto"
        data-testid="imd-auto"
        aria-pressed={auto}
        aria-disabled={disabledReason !== null}
        title={
          disabledReason ??
          (auto
            ? "Chosen for the best balance of precision and recall; move the slider to set it"
            : "Choose the best balance of precision and recall")
        }
        onClick={() => disabledReason === null && !auto && change({ sensitivity: null })}
      >
        auto
      </Button>
    </span>
  );
}

/** How good the rules are, beside the controls that change it. */
export function Score({ view, work: { busy } }: Controls) {
  const { precision, recall } = view.metrics;
  return (
    <output class="imd-score" data-testid="imd-score" aria-busy={busy === "change"}>
      {busy === "change" ? (
        "comparing…"
      ) : (
        <>
          precision <b>{percent(precision)}</b> recall <b>{percent(recall)}</b>
        </>
      )}
    </output>
  );
}

/** The model whose output rules may condition on. */
export function Given(props: Controls) {
  const { options, view, work } = props;
  const disabledReason = changeDisabledReason(props);
  const chosen = options.given ?? "nothing";
  const given = chosen === "margins" ? "nothing" : chosen;
  return (
    <label class="imd-group" title={disabledReason ?? GIVEN}>
      <span class="imd-name">Given</span>
      <select
        class="imd-given"
        data-testid="imd-given"
        value={given}
        aria-disabled={disabledReason !== null}
        onChange={({ currentTarget: choice }) => {
          if (disabledReason === null) work.change({ given: choice.value as Change["given"] });
          else choice.value = given;
        }}
      >
        <option value="nothing">nothing</option>
        <option value="m1">{view.names[0]}'s output</option>
        <option value="m2">{view.names[1]}'s output</option>
        <option value="auto">the better one</option>
      </select>
    </label>
  );
}

interface EntryProps {
  id: string;
  name: string;
  title: string;
  /** What is set now. */
  value: string;
  placeholder?: string;
  disabledReason: string | null;
  /** Applies what was typed; returns false if it is invalid. */
  onEnter: (text: string) => boolean;
}

/** A field for a number, applied at Enter or when it loses the focus; invalid text is reverted. */
export function Entry({
  id,
  name,
  title,
  value,
  placeholder,
  disabledReason,
  onEnter,
}: EntryProps) {
  return (
    <label class="imd-group" title={disabledReason ?? title}>
      <span class="imd-name">{name}</span>
      <input
        type="text"
        inputMode="decimal"
        class="imd-entry"
        data-testid={id}
        value={value}
        placeholder={placeholder}
        readOnly={disabledReason !== null}
        aria-disabled={disabledReason !== null}
        onChange={({ currentTarget: field }) => {
          const text = field.value.trim();
          if (disabledReason !== null || text === value || !onEnter(text)) field.value = value;
        }}
      />
    </label>
  );
}

/** The largest number of rules; empty or "any": no limit. */
export function MostRules(props: Controls) {
  const { options, work } = props;
  return (
    <Entry
      id="imd-max-rules"
      name="Max. rules"
      title={MOST_RULES}
      value={options.max_rules === null ? "" : String(options.max_rules)}
      placeholder="any"
      disabledReason={changeDisabledReason(props)}
      onEnter={(text) => {
        if (text === "" || text === "any") work.change({ max_rules: null });
        else if (/^[1-9]\d{0,8}$/.test(text)) work.change({ max_rules: Number(text) });
        else return false;
        return true;
      }}
    />
  );
}

/** How far two outputs may be apart and still count as the same. */
export function Tolerance(props: Controls) {
  const { options, view, work } = props;
  const { tolerance, relative } = options;
  if (tolerance === null || view.outputs.kind === "class") return null;
  const share = relative && typeof tolerance === "number";
  return (
    <Entry
      id="imd-tolerance"
      name="Tolerance"
      title={TOLERANCE}
      value={share ? `${Number((100 * tolerance).toPrecision(6))} %` : String(tolerance)}
      disabledReason={changeDisabledReason(props)}
      onEnter={(text) => {
        // Text that is not a number is sent as it is: Python's error lists what it accepts.
        const number = text === "" ? Number.NaN : Number(text.replace(",", "."));
        if (text !== "") work.change({ tolerance: Number.isNaN(number) ? text : number });
        return text !== "";
      }}
    />
  );
}
