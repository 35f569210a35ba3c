// Why the models differ: what is asked for, the first view, and what follows on demand.

import { describe, expect, it } from "vitest";
import * as fixtures from "../fixtures";
import { fakeKernel, settle, stubModel } from "../support";
import { CONTRIBUTIONS, traced, WHY, WITH_ROW, WITH_SURROGATES } from "./whyAnswers";
import { useWhyStage } from "./whyStage";

const { stage, all, answer, click, id, ids, last, one, refuse, sent, show, toggle } = useWhyStage();
const explain = (why = WHY) => answer("explain", { why });

/** The tab in a notebook that tells of its kernel. */
async function showWith(kernel: ReturnType<typeof fakeKernel>) {
  stage.model = stubModel(fixtures.stateOf(fixtures.houses(), { tab: "Why" }));
  stage.model.widget_manager = { kernel };
  stage.put(stage.model);
  await settle();
}

describe("what is asked for", () => {
  it("is the selection, when the tab is open and when the selection changes", async () => {
    await show(fixtures.houses(), { selected_rules: [1] });
    expect(sent("explain")).toEqual([]);
    await click(one('[data-tab="Why"]'));
    expect(last("explain")).toMatchObject({ rules: [1], node: "", row: null, curves: false });
    await explain();
    expect(id("why-title").textContent).toContain("probability of yes on 1,234 rows inside rule 1");
    stage.model.receive("selected_rules", []);
    await settle();
    expect(last("explain")).toMatchObject({ rules: [], node: "" });
    expect(ids("contributions")).toEqual([]);
    expect(id("why-title").textContent).toBe("Why in the whole table");
  });

  it("is a quick answer first, then one with smaller errors; each is shown when it is there", async () => {
    await show(fixtures.houses(), { tab: "Why" });
    const quick = last("explain").max_calls;
    await explain();
    expect(id("why-sentence").textContent).toBe(CONTRIBUTIONS.sentence);
    expect(last("explain").max_calls).toBeGreaterThan(quick);
    expect(id("precise-status").textContent).toContain("Reducing the standard errors");
    await explain({ ...WHY, contributions: { ...CONTRIBUTIONS, sentence: "More precise." } });
    expect(id("why-sentence").textContent).toBe("More precise.");
    expect(id("precise-status").textContent).toBe("");
    expect(sent("explain").length).toBe(2);
  });

  it("is one with half the standard errors on demand", async () => {
    await show(fixtures.houses(), { tab: "Why" });
    await explain();
    const halve = () => all("button").find((own) => own.textContent?.startsWith("Halve the"));
    expect(halve()).toBeUndefined();
    await explain();
    const calls = last("explain").max_calls;
    expect(halve()?.textContent).toBe("Halve the standard errors (200,000 rows for each model)");
    await click(halve() as HTMLElement);
    expect(last("explain").max_calls).toBe(4 * calls);
    expect(halve()).toBeUndefined();
    expect(id("why-sentence").textContent).toBe(CONTRIBUTIONS.sentence);
    await explain();
    expect(halve()?.textContent).toContain("800,000 rows");
  });

  it("keeps the quick answer if the second one fails or is cancelled", async () => {
    await show(fixtures.houses(), { tab: "Why" });
    await explain();
    await click(id("precise-status").querySelector("button") as HTMLElement);
    expect(stage.model.sent.at(-1)).toMatchObject({ kind: "cancel", of: last("explain").id });
    expect(id("precise-status").textContent).toBe("Cancelled. Try again");
    expect(id("why-sentence").textContent).toBe(CONTRIBUTIONS.sentence);
    await click(id("precise-status").querySelector("button") as HTMLElement);
    await refuse("explain", "the model is gone");
    expect(id("precise-error").textContent).toContain("the model is gone");
    expect(id("why-sentence").textContent).toBe(CONTRIBUTIONS.sentence);
  });

  it("can be cancelled, shows its progress, and is retried after an error", async () => {
    await show(fixtures.houses(), { tab: "Why" });
    stage.model.answer({ id: last("explain").id, progress: { done: 3, total: 8 } });
    await settle();
    expect(id("why-status").textContent).toBe("Evaluating the models: part 3 of 8 Cancel");
    await click(id("why-status").querySelector("button") as HTMLElement);
    expect(stage.model.sent.at(-1)).toMatchObject({ kind: "cancel", of: last("explain").id });
    expect(id("why-status").textContent).toBe("Cancelled. Try again");
    await click(id("why-status").querySelector("button") as HTMLElement);
    expect(sent("explain").length).toBe(2);
    await refuse("explain", "at least <b>20</b> are needed");
    expect(id("why-error").textContent).toContain("<b>20</b>");
    expect(all(".imd-error b")).toEqual([]);
  });

  it("waits for a kernel that is busy", async () => {
    await show(fixtures.houses());
    stage.model.become(false);
    await click(one('[data-tab="Why"]'));
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await settle();
    expect(id("why-status").textContent).toContain("The kernel is busy");
    expect(sent("explain")).toEqual([]);
  });

  it("is nothing once the kernel is gone, and what was explained stays", async () => {
    const kernel = fakeKernel();
    await showWith(kernel);
    await explain();
    await toggle("curves-part");
    kernel.become("dead");
    await settle();
    const asked = sent("explain").length;
    expect(id("no-why").textContent).toContain("Explanations need the kernel.");
    expect(id("why-sentence").textContent).toBe(CONTRIBUTIONS.sentence);
    expect(all(".imd-why .imd-error, .imd-why [role=status] button")).toEqual([]);
    await click(one('[data-tab="Rules"]'));
    await click(one('[data-tab="Why"]'));
    expect(id("no-why").textContent).toContain("Explanations need the kernel.");
    expect(sent("explain").length).toBe(asked);
  });

  it("is nothing where it cannot be answered", async () => {
    const view = { ...fixtures.houses(), lacks: { explain: "A page holds no models." } };
    await show(view, { tab: "Why" });
    expect(id("no-why").textContent).toBe("A page holds no models.");
    expect(sent("explain")).toEqual([]);
  });
});

describe("models that cannot be called", () => {
  it("have a sentence in place of contributions and curves, and surrogates still", async () => {
    await show(fixtures.houses(), { tab: "Why" });
    await explain({ ...WHY, cannot: "m1 is an array.", contributions: null, conditions: [] });
    expect(id("cannot").textContent).toBe("m1 is an array.");
    expect(sent("explain").length).toBe(1);
    expect(ids("contributions")).toEqual([]);
    expect(ids("conditions")).toEqual([]);
    expect(ids("pairs")).toEqual([]);
    expect(ids("curves-part")).toEqual([]);
    expect(ids("surrogates-part").length).toBe(1);
  });

  it("leave the curves of the other one", async () => {
    await show(fixtures.houses(), { tab: "Why" });
    await explain({ ...WHY, lacking: "m1 is an array.", contributions: null, conditions: [] });
    expect(id("cannot").textContent).toBe("m1 is an array.");
    expect(ids("curves-part").length).toBe(1);
  });
});

describe("the curves", () => {
  it("come on demand, and those of all columns after that", async () => {
    await show(fixtures.houses(), { tab: "Why" });
    await explain({ ...WHY, curves: [], conditions: [] });
    expect(all(".imd-curve")).toEqual([]);
    await toggle("curves-part");
    expect(last("explain")).toMatchObject({ curves: true, more: false, row: null });
    expect(id("curves-status").textContent).toContain("Cancel");
    await explain();
    expect(all('[data-testid="imd-curves"] .imd-curve').length).toBe(2);
    expect(id("more-curves").textContent).toBe("Show the other 2 columns");
    await click(id("more-curves"));
    expect(last("explain")).toMatchObject({ curves: true, more: true });
    expect(all('[data-testid="imd-curves"] .imd-curve').length).toBe(2);
    await explain({ ...WHY, waiting: [] });
    expect(ids("more-curves")).toEqual([]);
    await toggle("curves-part");
    expect(ids("curves")).toEqual([]);
  });

  it("of a traced row follow those of all rows, if it is one of them", async () => {
    await show(fixtures.houses(), { tab: "Why", selected_rules: [1], traced: traced([1]) });
    await explain();
    await toggle("curves-part");
    expect(last("explain")).toMatchObject({ curves: true, row: null });
    await explain();
    expect(last("explain")).toMatchObject({ curves: true, row: 7, rules: [1] });
    await explain(WITH_ROW);
    expect(all('[data-testid="imd-curves"] [data-column="age"] .is-ice').length).toBe(2);
    stage.model.receive("traced", traced([0]));
    await settle();
    expect(all(".is-ice")).toEqual([]);
  });
});

describe("surrogates", () => {
  const first = () => one('[data-testid="imd-importance"] tbody th').textContent;
  const open = async () => {
    await show(fixtures.houses(), { tab: "Why" });
    await explain();
    await toggle("surrogates-part");
  };

  it("are asked for once they are wanted, and for each selection then", async () => {
    await open();
    expect(last("explain")).toMatchObject({ surrogates: true, row: null, curves: false });
    expect(id("surrogates-status").textContent).toContain("Cancel");
    await explain(WITH_SURROGATES);
    stage.model.receive("selected_rules", [0]);
    await settle();
    expect(ids("importance")).toEqual([]);
    await explain();
    expect(sent("explain").some((work) => work.surrogates && work.rules[0] === 0)).toBe(true);
  });

  it("show column importance, and warn if they explain little of the difference", async () => {
    await open();
    await explain(WITH_SURROGATES);
    expect(first()).toBe("age");
    const cells = all('[data-testid="imd-importance"] tbody tr:nth-child(2) td');
    expect(cells.slice(1).map((cell) => cell.textContent)).toEqual(["0.40", "0.30", "0.00"]);
    expect(id("importance").querySelector(".is-low")).toBe(null);
    expect(id("trees").querySelector(".is-low")?.textContent).toContain(
      "RMSE 0.123 on 30 held-out rows",
    );
    expect(id("outline").textContent).toBe(
      "age < 40 0.20 on 90 rowsyes: 0.10 60 rowsno: 0.40 30 rows",
    );
    const [lr] = id("trees").querySelectorAll("button");
    await click(lr as HTMLElement);
    expect(id("trees").textContent).toContain("This tree (LR)");
  });
});
