// What travels by columns is drawn from records, and the three languages of a rule are put together here.

import { describe, expect, it } from "vitest";
import { FORMS, inForm } from "../../../js/panels/CopyButtons";
import { type SentView, unpack } from "../../../js/protocol/codec";
import type { RuleView } from "../../../js/protocol/types";
import forms from "../../golden/forms.json";
import packed from "../../golden/packed.json";
import plain from "../../golden/quickstart.json";
import { breastCancer } from "../fixtures";

describe("unpacking", () => {
  it("gives what Python's view says", () => {
    const [sent, whole] = [packed, plain].map((view) => unpack(view as unknown as SentView));
    // what travels is rounded
    const near = (value: number | null) => (value === null ? null : expect.closeTo(value, 5));
    expect(sent?.nodes).toEqual(
      whole?.nodes.map((node) => ({
        ...node,
        rate: near(node.rate),
        purity: near(node.purity),
        counts: node.counts.map((own) => own.map(([label, n, share]) => [label, n, near(share)])),
      })),
    );
    expect(sent?.rules.map(({ number, conditions }) => [number, conditions])).toEqual(
      whole?.rules.map(({ number, conditions }) => [number, conditions]),
    );
    expect(sent?.rules.length).toBeGreaterThan(0);
  });

  it("changes nothing the second time", () => {
    const once = unpack(packed as unknown as SentView);
    expect(unpack(once as unknown as SentView)).toEqual(once);
    expect(unpack(breastCancer() as unknown as SentView)).toEqual(breastCancer());
  });
});

describe("a rule in three languages", () => {
  it.each(forms)("is what Python writes: $text", (expected) => {
    const rule = { conditions: expected.conditions } as unknown as RuleView;
    const [text, query, sql] = FORMS.map((form) => inForm(rule, form));
    expect({ text, query, sql }).toEqual({
      text: expected.text,
      query: expected.query,
      sql: expected.sql,
    });
  });
});
