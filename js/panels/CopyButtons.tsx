// Copies the conditions of a rule in one of three languages.

import { useEffect, useState } from "preact/hooks";
import type { RuleView } from "../protocol/types";
import { Button } from "../ui/Button";
import { copyText } from "../ui/clipboard";
import "./CopyButtons.css";

/** For each language: field of a condition, name of the language, conjunction, and a condition that always holds. */
export const FORMS = [
  ["text", "Text", " and ", "always"],
  ["query", "pandas", " and ", "index == index or index != index"],
  ["sql", "SQL", " AND ", "TRUE"],
] as const;

/** A condition that also holds for missing values, as `set_apart` of Python's `languages` knows it. */
const ALTERNATIVES = / or missing$| is missing or (not|none of|has|contains|does not contain|is) /;

/** The conditions of a rule in one language, as `rule.to_query()` and its like; null if it cannot express one. */
export function inForm({ conditions }: RuleView, form: (typeof FORMS)[number]): string | null {
  const [field, , joint, always] = form;
  const parts = conditions.map((condition) => condition[field]);
  if (parts.includes(null)) return null;
  // "a or missing and b" would be ambiguous.
  const several = field === "text" && parts.length > 1;
  const whole = parts.map((part) =>
    several && part !== null && ALTERNATIVES.test(part) ? `(${part})` : part,
  );
  return whole.join(joint) || always;
}

export function CopyButtons({ rule }: { rule: RuleView }) {
  const [done, setDone] = useState<{ form: string; ok: boolean } | null>(null);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(null), 1600);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <div class="imd-copies">
      <span>Copy</span>
      {FORMS.map((language) => {
        const [form, word] = language;
        const text = inForm(rule, language);
        return (
          text !== null && (
            <Button
              key={form}
              data-copy={form}
              title={text}
              onClick={async (event) => {
                event.stopPropagation();
                setDone({ form, ok: await copyText(text, event.currentTarget) });
              }}
            >
              {word}
            </Button>
          )
        );
      })}
      <span class="imd-done" role="status">
        {done && (done.ok ? "copied" : "copy failed")}
      </span>
      <span class="imd-number" title={`In Python: diff.rules[${rule.number}]`}>
        rule {rule.number}
      </span>
    </div>
  );
}
