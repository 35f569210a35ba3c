// A cohort of the user's own.

import { describe, expect, it } from "vitest";
import type { CohortView, Request } from "../../../js/protocol/types";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, click, one, show } = stage;
const field = () => one('[data-testid="imd-cohort"]') as HTMLInputElement;
const lastSent = () => stage.model.sent.at(-1) as Request;
const cards = () => all("[data-cohort]").map((card) => card.dataset.cohort);
const answer = async (fields: object) => {
  stage.model.answer({ id: lastSent().id, ...fields });
  await settle();
};
const type = async (condition: string) => {
  field().value = condition;
  field().dispatchEvent(new Event("input", { bubbles: true }));
  await settle();
  field().dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  await settle();
};
const found = (condition: string, fields: Partial<CohortView> = {}): CohortView => ({
  condition,
  rows: 6,
  differing: 3,
  rate: 0.5,
  interval: [0.188, 0.812],
  coverage: 0.125,
  outside_rate: 0.1,
  outcomes: [{ outcomes: [0, 1], said: ["no", "<b>yes</b>"], share: 1 }],
  right: null,
  ...fields,
});

describe("a cohort", () => {
  it("is asked for at Enter and stands beside the rules with its figures", async () => {
    await show(fixtures.judged());
    await type("   ");
    expect(stage.model.sent).toEqual([]);
    await type(" `mean concavity` < 0.1 ");
    expect(lastSent()).toMatchObject({ kind: "cohort", condition: "`mean concavity` < 0.1" });
    const tested = { net_interval: null, p_value: null };
    const none = {
      ...tested,
      within: null,
      errors: null,
      rmse: null,
      mean_y: null,
      mean_outputs: null,
      loss: null,
    };
    const right = { both: 1, first: 0, second: 3, neither: 2, unknown: 0, closer: null, ...none };
    await answer({ cohort: found("`mean concavity` < 0.1", { right }) });
    expect(cards()).toEqual(["`mean concavity` < 0.1"]);
    const text = one("[data-cohort]").textContent ?? "";
    for (const part of [
      "50\u00a0%3 of 6,19 to 81\u00a0%",
      "outside10\u00a0%",
      "coverage13\u00a0%",
      "100\u00a0% no → <b>yes</b>",
      "RF right on 3",
    ])
      expect(text).toContain(part);
    expect(all("[data-cohort] b")).toHaveLength(0);
    expect(one("[data-cohort] .imd-right").title).toContain("Inside the cohort");
    expect(field().value).toBe("");
    expect(all("[data-rule]").length).toBeGreaterThan(0);
  });

  it("keeps what was typed when it is not understood, and says why", async () => {
    await show(fixtures.small());
    await type("age <");
    await answer({ error: "condition='age <' cannot be used (<i>SyntaxError</i>)" });
    expect(one('[data-testid="imd-cohort-error"]').textContent).toContain("<i>SyntaxError</i>");
    expect(field().value).toBe("age <");
    expect(cards()).toEqual([]);
    await type("age < 30");
    expect(all('[data-testid="imd-cohort-error"]')).toHaveLength(0);
    await answer({ cohort: found("age < 30") });
    expect(cards()).toEqual(["age < 30"]);
  });

  it("stands there with others, survives another tab, and can be removed", async () => {
    await show(fixtures.small());
    for (const condition of ["age < 30", "age < 40", "age < 30"]) {
      await type(condition);
      await answer({ cohort: found(condition, { rows: 7 }) });
    }
    expect(cards()).toEqual(["age < 30", "age < 40"]);
    await click(one('[data-tab="Node"]'));
    await click(one('[data-tab="Rules"]'));
    expect(cards()).toEqual(["age < 30", "age < 40"]);
    await click(one('[data-cohort="age < 30"] [title="Remove"]'));
    expect(cards()).toEqual(["age < 40"]);
  });

  it("is measured again when the view changes", async () => {
    const view = fixtures.small();
    await show(view);
    await type("age < 30");
    await answer({ cohort: found("age < 30") });
    stage.model.receive("view", { ...view });
    await settle();
    expect(stage.model.sent).toHaveLength(2);
    expect(one("[data-cohort]").textContent).toContain("50\u00a0%");
    await answer({ cohort: found("age < 30", { rate: 0.75 }) });
    expect(one("[data-cohort]").textContent).toContain("75\u00a0%");
  });

  it("says when no row is inside, and where it cannot be asked for", async () => {
    await show(fixtures.small());
    await type("age < 0");
    const none = { rows: 0, differing: 0, rate: null, outcomes: [] };
    await answer({ cohort: found("age < 0", none) });
    expect(one("[data-cohort]").textContent).toContain("no row");
    await show({ ...fixtures.small(), lacks: { cohort: "Not on a page." } });
    expect(one(".imd-cohorts").textContent).toContain("Not on a page.");
    await type("age < 1");
    expect(stage.model.sent).toEqual([]);
  });
});
