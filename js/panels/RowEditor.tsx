// The values of the traced row in fields: what if it had others? With undo, reset and the smallest change that is enough.

import { useMemo, useState } from "preact/hooks";
import { unavailableReason } from "../host/host";
import type { FieldView, WhatIfView } from "../protocol/types";
import { useDiff } from "../state/context";
import type { WhatIf } from "../state/useWhatIf";
import { plural } from "../text/format";
import { ActionButton } from "../ui/ActionButton";
import { Button, TextButton } from "../ui/Button";
import { Work } from "./Work";
import "./RowEditor.css";

/** Fields that are shown at first: of the columns that contribute most to the gap of this row. */
const FIRST = 6;

interface RowEditorProps {
  whatIf: WhatIf;
  shown: WhatIfView;
}

/** Positions of the columns: those that contribute first, in an order that edits do not change. */
function useOrder({ fields, contributions }: WhatIfView): number[] {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a field stays where it is while the user types
  return useMemo(() => {
    const strong = (contributions?.columns ?? []).flatMap(({ position }) => position ?? []);
    const every = fields.map(({ position }) => position);
    return [...new Set([...strong, ...every])];
  }, []);
}

export function RowEditor({ whatIf, shown }: RowEditorProps) {
  const { state, view } = useDiff();
  const { values, edited, smallest, seeking } = whatIf;
  const [all, setAll] = useState(false);
  const order = useOrder(shown);
  const first = new Set(order.slice(0, FIRST));
  const fields = order.flatMap(
    (position) => shown.fields.find((one) => one.position === position) ?? [],
  );
  const visible = fields.filter((one) => all || first.has(one.position) || one.position in values);
  const hidden = fields.length - visible.length;
  const change = smallest.answer?.change;
  const alone = view.names[1] === undefined;
  return (
    <div class="imd-editor" data-testid="imd-editor">
      <h4>What if this row had other values?</h4>
      <p role="status" data-testid="imd-what-if-text">
        {Object.keys(values).length > 0 && !whatIf.query.busy && whatIf.query.error === null
          ? shown.text
          : ""}
      </p>
      <ul>
        {visible.map((field) => (
          <Field
            key={field.position}
            field={field}
            value={values[field.position] ?? field.original}
            changed={field.position in values}
            onEdit={(value) => whatIf.edit(field.position, value)}
          />
        ))}
      </ul>
      {hidden > 0 && (
        <TextButton onClick={() => setAll(true)}>
          Show {plural(hidden, "more column", "more columns")}
        </TextButton>
      )}
      <div class="imd-editor-buttons">
        <ActionButton
          id="imd-what-if-undo"
          disabledReason={edited ? null : "Nothing was changed"}
          busy={false}
          title="Undo the last change"
          onClick={whatIf.undo}
        >
          Undo
        </ActionButton>
        <ActionButton
          id="imd-what-if-reset"
          disabledReason={Object.keys(values).length > 0 ? null : "The row has its own values"}
          busy={false}
          title="Show the row as it is in the table"
          onClick={whatIf.reset}
        >
          Reset
        </ActionButton>
        <ActionButton
          id="imd-smallest"
          disabledReason={
            unavailableReason(state, "smallest_change") ??
            (alone || shown.differs_before ? null : "The models agree on this row already")
          }
          busy={seeking}
          title={`Change one column, or two, to values that occur in the table, until ${alone ? "the output is another class, or on the other side of 0.5 or of the mean" : "the models agree"}`}
          onClick={() => !seeking && whatIf.seek()}
        >
          Smallest change {alone ? "to another output" : "after which they agree"}
        </ActionButton>
      </div>
      {(seeking || smallest.error !== null) && (
        <Work query={smallest} name="smallest" doing="Trying other values" />
      )}
      {change && !seeking && smallest.error === null && (
        <p role="status" data-testid="imd-smallest-text">
          {change.text}
        </p>
      )}
    </div>
  );
}

interface FieldProps {
  field: FieldView;
  value: string;
  changed: boolean;
  onEdit: (value: string) => void;
}

/** One value; the one in the table stands beside it once it is another. */
function Field({ field, value, changed, onEdit }: FieldProps) {
  const { uid } = useDiff();
  const { column, position, kind, original, choices, low, high } = field;
  const id = `${uid}-field-${position}`;
  const shared = {
    id,
    value,
    "data-position": position,
    onChange: (event: Event & { currentTarget: { value: string } }) =>
      event.currentTarget.value !== value && onEdit(event.currentTarget.value),
  };
  const options = [...new Set([value, original, ...choices])];
  return (
    <li class={changed ? "is-changed" : undefined}>
      <label for={id} title={column}>
        {column}
      </label>
      {kind === "fixed" ? (
        <output id={id}>{original}</output>
      ) : kind === "choice" ? (
        <select {...shared}>
          {options.map((text) => (
            <option key={text} value={text}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          type="text"
          spellcheck={false}
          autocomplete="off"
          inputMode={kind === "number" ? "decimal" : undefined}
          list={choices.length > 0 ? `${id}-choices` : undefined}
          title={low === null || high === null ? undefined : `From ${low} to ${high} in the table`}
        />
      )}
      {kind !== "fixed" && kind !== "choice" && choices.length > 0 && (
        <datalist id={`${id}-choices`}>
          {choices.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      )}
      {changed && (
        <Button
          title={`Back to ${original}`}
          aria-label={`${column} back to ${original}`}
          onClick={() => onEdit(original)}
        >
          was {original}
        </Button>
      )}
    </li>
  );
}
