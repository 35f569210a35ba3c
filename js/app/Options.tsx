// The options that can be changed without calling the models again.

import type { Change } from "../protocol/types";
import { percent } from "../text/format";
import { ActionButton } from "../ui/ActionButton";
import { Button } from "../ui/Button";
import { type Controls, changeOff } from "./controls";

/** As many conditions as Python takes. */
const DEEPEST = 30;
const SENSITIVITY =
  "Share of the differing rows that the rules should cover: more to the right, fewer but surer to the left";
const GIVEN =
  "Let rules ask what one model says: another question, with surer answers where that model is hard to describe";
const MOST_RULES =
  "As many rules as are listed at most, those that tell most; empty: as many as tell something";
const TOLERANCE =
  "Two outputs differ if they are further apart than this; of values also a share of the larger one: 10 %";

export function Depth(props: Controls) {
  const { options, work } = props;
  const off = changeOff(props);
  const depth = options.max_depth;
  const step = (id: string, label: string, sign: string, to: number, end: string | null) => (
    <ActionButton
      id={id}
      label={label}
      off={off ?? end}
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
      title={off ?? "Most questions that may lead to a leaf: fewer are easier to read"}
    >
      <span class="imd-name">Depth</span>
      {step(
        "imd-less",
        "Less deep",
        "−",
        depth - 1,
        depth > 1 ? null : "One question is the least",
      )}
      <output class="imd-depth" data-testid="imd-depth">
        {depth}
      </output>
      {step("imd-more", "Deeper", "+", depth + 1, depth < DEEPEST ? null : "As deep as it gets")}
    </span>
  );
}

export function Sensitivity(props: Controls) {
  const { options } = props;
  const { change } = props.work;
  const off = changeOff(props);
  const auto = options.sensitivity === null;
  // where the best balance lies, about: the rules cover as much as they should
  const at = options.sensitivity ?? Math.round(props.view.metrics.recall * 20) / 20;
  return (
    <span class="imd-tune" title={off ?? SENSITIVITY}>
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
          aria-disabled={off !== null}
          aria-valuetext={auto ? `automatic, about ${percent(at)}` : percent(at)}
          onInput={({ currentTarget: slider }) => {
            if (off === null) change({ sensitivity: Number(slider.value) });
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
        aria-disabled={off !== null}
        title={
          off ??
          (auto
            ? "On: the best balance of precision and recall decides. Move the slider to choose"
            : "Let the best balance of precision and recall decide")
        }
        onClick={() => off === null && !auto && change({ sensitivity: null })}
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

/** Whose outputs rules may ask about. */
export function Given(props: Controls) {
  const { options, view, work } = props;
  const off = changeOff(props);
  const given = options.given ?? "nothing";
  return (
    <label class="imd-group" title={off ?? GIVEN}>
      <span class="imd-name">Given</span>
      <select
        class="imd-given"
        data-testid="imd-given"
        value={given}
        aria-disabled={off !== null}
        onChange={({ currentTarget: choice }) => {
          if (off === null) work.change({ given: choice.value as Change["given"] });
          else choice.value = given;
        }}
      >
        <option value="nothing">nothing</option>
        <option value="m1">what {view.names[0]} says</option>
        <option value="m2">what {view.names[1]} says</option>
        <option value="auto">the better of both</option>
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
  off: string | null;
  /** Takes what was typed; returns false if it means nothing. */
  onEnter: (text: string) => boolean;
}

/** A field for a number. It is taken when it is left, or at Enter; what means nothing is put back. */
function Entry({ id, name, title, value, placeholder, off, onEnter }: EntryProps) {
  return (
    <label class="imd-group" title={off ?? title}>
      <span class="imd-name">{name}</span>
      <input
        type="text"
        inputMode="decimal"
        class="imd-entry"
        data-testid={id}
        value={value}
        placeholder={placeholder}
        readOnly={off !== null}
        aria-disabled={off !== null}
        onChange={({ currentTarget: field }) => {
          const text = field.value.trim();
          if (off !== null || text === value || !onEnter(text)) field.value = value;
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
      name="Rules at most"
      title={MOST_RULES}
      value={options.max_rules === null ? "" : String(options.max_rules)}
      placeholder="any"
      off={changeOff(props)}
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
      off={changeOff(props)}
      onEnter={(text) => {
        // What is no number is sent as it is: Python says what it takes, and why not this.
        const number = text === "" ? Number.NaN : Number(text.replace(",", "."));
        if (text !== "") work.change({ tolerance: Number.isNaN(number) ? text : number });
        return text !== "";
      }}
    />
  );
}
