// The traced row: its waterfall, other values for it, undo and reset, and the smallest change after which the models agree.

import { describe, expect, it } from "vitest";
import type { WidgetState } from "../../../js/protocol/types";
import { changesOf } from "../../../js/state/useWhatIf";
import * as fixtures from "../fixtures";
import { settle } from "../support";
import { EDITED, ROW, traced, WHY, WITH_ROW } from "./whyAnswers";
import { useWhyStage } from "./whyStage";

const { stage, all, answer, click, id, ids, last, one, refuse, sent, show, toggle } = useWhyStage();
const open = async (fields: Partial<WidgetState> = {}, view = fixtures.houses()) => {
  await show(view, { tab: "Why", traced: traced([]), ...fields });
  await answer("explain", { why: WHY });
  if (sent("what_if").length > 0) await answer("what_if", { what_if: ROW });
};
const field = (position: number) =>
  one(`[data-position="${position}"]`) as HTMLInputElement | HTMLSelectElement;
async function type(position: number, text: string) {
  const own = field(position);
  own.value = text;
  own.dispatchEvent(new Event("change", { bubbles: true }));
  await settle();
}
const cells = (table: string) =>
  all(`[data-testid="imd-${table}"] tbody tr`).map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );

describe("the row", () => {
  it("has both outputs, a sentence, and a waterfall from the mean of all rows", async () => {
    await open();
    expect(last("what_if")).toMatchObject({ row: 7, values: {} });
    expect(id("why-row").textContent).toContain("Row seven");
    expect(id("why-row").textContent).toContain("LR gives 0.80 less for this row.");
    const [first, second] = fixtures.houses().names;
    expect(cells("outputs")).toEqual([
      [first, "no", "0.10"],
      [second, "yes", "0.90"],
    ]);
    expect(id("outputs").textContent).toContain("The models differ");
    expect(cells("waterfall")).toEqual([
      ["mean of all rows", "", "0.30", "0.40"],
      ["age = 30", "", "−0.10", "+0.50"],
      ["<b>job</b> = 30", "", "−0.20", "0.00"],
      ["pay = 30", "", "+0.05", "0.00"],
      ["18 other columns", "", "+0.05", "0.00"],
      ["this row", "", "0.10", "0.90"],
    ]);
  });

  it("is explained also if it is not in the selection", async () => {
    await open({ selected_rules: [1], traced: traced([0]) });
    expect(last("what_if")).toMatchObject({ row: 7 });
    expect(ids("waterfall").length).toBe(1);
    await toggle("reasons-part");
    expect(id("reasons-part").textContent).toContain("not in the selection");
    expect(sent("explain").some(({ row }) => row !== null)).toBe(false);
  });

  it("has an error if a model fails on it, and another try", async () => {
    await show(fixtures.houses(), { tab: "Why", traced: traced([]) });
    await refuse("what_if", "RF failed at <b>7</b>");
    expect(id("row-error").textContent).toContain("RF failed at <b>7</b>");
    expect(ids("editor")).toEqual([]);
    await click(id("row-error").querySelector("button") as HTMLElement);
    await answer("what_if", { what_if: ROW });
    expect(ids("row-error")).toEqual([]);
    expect(ids("editor").length).toBe(1);
  });

  it("has reason codes of surrogates on demand", async () => {
    await open();
    await toggle("reasons-part");
    expect(last("explain")).toMatchObject({ row: 7, curves: true });
    await answer("explain", { why: WITH_ROW });
    const codes = () => cells("reasons").map(([name, , ...values]) => [name, ...values]);
    expect(codes()).toEqual([
      ["age = 30", "+0.22", "−0.11"],
      ["pay = 9", "0.00", "+0.05"],
    ]);
    expect(id("reasons-text").textContent).toBe("LR gives 0.31: +0.22 from age.");
    expect(id("trust").className).toContain("is-low");
    await click(one(".imd-techniques button:last-child"));
    expect(codes()[0]).toEqual(["pay = 9", "+0.40", "+0.10"]);
    expect(id("trust").className).not.toContain("is-low");
  });

  it("has a reason in place of all that on a page", async () => {
    const view = { ...fixtures.houses(), lacks: { what_if: "A page holds no models." } };
    await open({}, view);
    expect(sent("what_if")).toEqual([]);
    expect(id("why-row").textContent).toBe("Row sevenA page holds no models.");
  });
});

describe("other values", () => {
  it("are typed or chosen, in fields of the columns that contribute most", async () => {
    await open();
    const labels = () => all(".imd-editor label").map((label) => label.textContent);
    expect(labels()).toEqual(["age", "<b>job</b>", "pay", "born", "town", "c5"]);
    expect(field(0).getAttribute("title")).toBe("From 18 to 80 in the table");
    expect([...field(2).querySelectorAll("option")].map(({ value }) => value)).toEqual([
      "clerk",
      "nurse",
    ]);
    expect(all('[data-position="3"]')).toEqual([]);
    expect(one(".imd-editor output").textContent).toBe("1990-01-01");
    expect(all("datalist option").length).toBe(2);
    await click(one(".imd-editor .imd-text-button"));
    expect(labels().slice(6)).toEqual(["c6", "c7"]);
  });

  it("are sent, and both outputs move", async () => {
    await open();
    await type(0, "40");
    expect(last("what_if")).toMatchObject({ row: 7, values: { 0: "40" } });
    await answer("what_if", { what_if: EDITED });
    expect(id("outputs").textContent).toContain("The models agree");
    expect(cells("outputs")[0]?.slice(1)).toEqual(["no → yes", "0.10 → 0.70"]);
    expect(cells("outputs")[1]?.slice(1)).toEqual(["yes", "0.90"]);
    expect(id("what-if-text").textContent).toBe(EDITED.text);
    await type(2, "nurse");
    expect(last("what_if").values).toEqual({ 0: "40", 2: "nurse" });
  });

  it("are undone one by one, or all at once, and undo brings them back", async () => {
    await open();
    await click(id("what-if-undo"));
    await click(id("what-if-reset"));
    expect(sent("what_if").length).toBe(1);
    expect(id("what-if-undo").getAttribute("aria-disabled")).toBe("true");
    await type(0, "40");
    await type(2, "nurse");
    await click(id("what-if-undo"));
    expect(last("what_if").values).toEqual({ 0: "40" });
    expect(field(2).value).toBe("clerk");
    await click(id("what-if-reset"));
    expect(last("what_if").values).toEqual({});
    expect(field(0).value).toBe("30");
    await click(id("what-if-undo"));
    expect(last("what_if").values).toEqual({ 0: "40" });
    expect(field(0).value).toBe("40");
    await click(one('[aria-label="age back to 30"]'));
    expect(last("what_if").values).toEqual({});
  });

  it("that are refused stay in their field, with the sentence; nothing else is lost", async () => {
    await open();
    await type(0, "40");
    await answer("what_if", { what_if: EDITED });
    await type(1, "many");
    await refuse("what_if", "pay is a number, got 'many'.");
    expect(id("row-error").textContent).toContain("pay is a number, got 'many'.");
    expect(field(1).value).toBe("many");
    expect(field(0).value).toBe("40");
    expect(ids("waterfall").length).toBe(1);
    expect(id("what-if-text").textContent).toBe("");
    await click(id("what-if-undo"));
    await answer("what_if", { what_if: EDITED });
    expect(ids("row-error")).toEqual([]);
    expect(field(1).value).toBe("9");
  });

  it("outlive a look at another tab, and belong to their row", async () => {
    await open();
    await type(0, "40");
    await click(one('[data-tab="Rules"]'));
    await click(one('[data-tab="Why"]'));
    expect(last("what_if").values).toEqual({ 0: "40" });
    stage.model.receive("traced", { ...traced([]), row: 8 });
    await settle();
    expect(last("what_if")).toMatchObject({ row: 8, values: {} });
    expect(ids("waterfall")).toEqual([]);
  });

  it("lead along another path, which the tree shows", async () => {
    await open();
    const [leaf] = fixtures.houses().nodes.slice(-1);
    const isOn = () => one(`[data-node="${leaf?.id}"]`).classList.contains("is-dim");
    const before = isOn();
    await type(0, "40");
    await answer("what_if", { what_if: { ...EDITED, nodes: ["r", leaf?.id ?? ""] } });
    expect([before, isOn()]).toEqual([true, false]);
  });
});

describe("the smallest change", () => {
  const change = (found: boolean) => ({
    change: {
      found,
      what_if: found ? EDITED : null,
      text: found ? "The models agree if age is 40 instead of 30." : "No change was found.",
      asked: 120,
    },
  });

  it("is put into the fields, and can be undone", async () => {
    await open();
    await click(id("smallest"));
    expect(last("smallest_change")).toMatchObject({ row: 7 });
    expect(id("smallest-status").textContent).toContain("Trying other values");
    await answer("smallest_change", change(true));
    expect(last("what_if").values).toEqual({ 0: "40" });
    await answer("what_if", { what_if: EDITED });
    expect(field(0).value).toBe("40");
    expect(id("smallest-text").textContent).toBe("The models agree if age is 40 instead of 30.");
    await click(id("what-if-undo"));
    expect(field(0).value).toBe("30");
    expect(changesOf(EDITED)).toEqual({ 0: "40" });
  });

  it("may not exist", async () => {
    await open();
    await click(id("smallest"));
    await answer("smallest_change", change(false));
    expect(id("smallest-text").textContent).toBe("No change was found.");
    expect(sent("what_if").length).toBe(1);
  });

  it("is cancelled, or fails, and nothing is lost", async () => {
    await open();
    await type(0, "35");
    await click(id("smallest"));
    await click(id("smallest-status").querySelector("button") as HTMLElement);
    expect(id("smallest-status").textContent).toBe("Cancelled. Try again");
    await click(id("smallest"));
    await refuse("smallest_change", "RF failed.");
    expect(id("smallest-error").textContent).toContain("RF failed.");
    expect(field(0).value).toBe("35");
  });

  it("is not asked for where the models agree already", async () => {
    await show(fixtures.houses(), { tab: "Why", traced: traced([]) });
    await answer("what_if", { what_if: { ...ROW, differs_before: false, differs: false } });
    expect(id("smallest").title).toBe("The models agree on this row already");
    await click(id("smallest"));
    expect(sent("smallest_change")).toEqual([]);
  });
});
