// The matrix of models: what it shows, mouse and keys, and the diff of a pair below it.

import { describe, expect, it } from "vitest";
import { cellAfter } from "../../../js/matrix/keys";
import { canOpen, cellSentence, cellText, detailFor, tenths } from "../../../js/matrix/words";
import type { ComparisonView, DiffView, PairRequest, Request } from "../../../js/protocol/types";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, click, one } = stage;
const id = (name: string) => one(`[data-testid="imd-${name}"]`);
const gone = (name: string) => all(`[data-testid="imd-${name}"]`).length === 0;
const cell = (i: number, j: number) => one(`[data-place="${i},${j}"]`);
const heads = (scope: string) => all(`th[scope=${scope}]`).map((head) => head.textContent);
const lastSent = () => stage.model.sent.at(-1) as Request & PairRequest;

async function showModels(name: string, fields: object = {}): Promise<ComparisonView> {
  const comparison = fixtures.comparisonNamed(name);
  await stage.show(undefined, { comparison, ...fields });
  return comparison;
}

async function press(key: string, options: KeyboardEventInit = {}): Promise<void> {
  const target = document.activeElement ?? document.body;
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...options }));
  await settle();
}

/** As Python does when a pair is asked for. */
async function answerPair(view: DiffView): Promise<void> {
  const { id: message, pair } = lastSent();
  stage.model.receive("view", view);
  stage.model.receive("pair", [...pair]);
  stage.model.answer({ id: message });
  await settle();
}

describe("the words of a cell", () => {
  const six = fixtures.comparisonNamed("six");
  const nb = "\u00a0";

  it("a share is never rounded to all or nothing", () => {
    expect([0, 0.0009, 0.123, 0.05, 0.9996, 1].map(tenths)).toEqual(
      ["0", "<0.1", "12.3", "5.0", ">99.9", "100"].map((text) => `${text}${nb}%`),
    );
  });

  it("round as Python does in its sentences", () => {
    const pairs = fixtures.comparisonNamed("shares") as unknown as [number, string][];
    for (const [share, said] of pairs) {
      const words = tenths(share).replace(nb, " ").replace("<", "under ").replace(">", "over ");
      expect(words.replace(/^(0|100) %$/, "$1.0 %")).toBe(said);
    }
  });

  it("say how many rows differ, and what the second model fixes and breaks", () => {
    const [lr, hand] = [six.names.indexOf("LR"), six.names.indexOf("by hand")];
    const share = tenths(six.shares[lr]?.[hand] ?? 0);
    const [fixed, broken] = [six.fixes?.[lr]?.[hand], six.fixes?.[hand]?.[lr]];
    expect(cellSentence(six, [lr, hand])).toBe(
      `LR and by hand differ on ${share} of rows (${six.rows[lr]?.[hand]}); ` +
        `by hand fixes ${fixed} rows that LR gets wrong and breaks ${broken}`,
    );
    expect(cellSentence(six, [hand, lr])).toContain(
      `LR fixes ${broken} rows that by hand gets wrong and breaks ${fixed}`,
    );
  });

  it("show scores on the diagonal and star the best", () => {
    const best = six.scores?.findIndex((score) => score.best) ?? -1;
    const text = six.scores?.[best]?.text;
    const said = `${six.names[best]}: accuracy ${text}, `;
    expect(cellSentence(six, [best, best])).toBe(`${said}statistically tied for best`);
    const scores = six.scores?.map((score, at) => ({ ...score, best: at === best })) ?? null;
    expect(cellSentence({ ...six, scores }, [best, best])).toBe(`${said}the best`);
    expect(cellText(six, [best, best], "tenths")).toBe(`★${nb}${text}`);
    expect(cellText(six, [best, best], "shade")).toBe("★");
    const two = fixtures.comparisonNamed("two");
    expect([cellText(two, [0, 0], "tenths"), cellSentence(two, [0, 0])]).toEqual(["", "old"]);
  });

  it("include the tolerance and the weights", () => {
    const prices = fixtures.comparisonNamed("prices");
    expect(cellSentence(prices, [0, 1])).toMatch(
      /^2022 and 2023 are more than 5 apart on [\d.]+\u00a0% of rows, by weight \(\d+\)/,
    );
    expect(cellSentence(fixtures.comparisonNamed("same"), [0, 2])).toBe(
      "a and c agree on all rows",
    );
  });

  it("have less room where there are more models", () => {
    expect([2, 8, 9, 20, 21, 30].map(detailFor)).toEqual([
      ...["tenths", "tenths", "whole", "whole", "shade", "shade"],
    ]);
    expect(cellText(six, [0, 1], "whole")).toMatch(/^(<?\d+)\u00a0%$/);
    expect(cellText(six, [0, 1], "shade")).toBe("");
  });

  it("which pairs open", () => {
    expect(canOpen(six, [0, 0])).toBe(false);
    expect(canOpen(six, [4, 1])).toBe(true);
    expect(canOpen({ ...six, openable: [[1, 4]] }, [4, 1])).toBe(true);
    expect(canOpen({ ...six, openable: [[1, 4]] }, [4, 2])).toBe(false);
  });
});

describe("keys of a grid", () => {
  it("lead to the next cell, and stop at the edges", () => {
    const after = (key: string, far = false) => cellAfter([1, 2], key, far, 4);
    expect(after("ArrowLeft")).toEqual([1, 1]);
    expect(after("ArrowRight")).toEqual([1, 3]);
    expect(after("ArrowUp")).toEqual([0, 2]);
    expect(after("ArrowDown")).toEqual([2, 2]);
    expect(after("Home")).toEqual([1, 0]);
    expect(after("End", true)).toEqual([3, 3]);
    expect(cellAfter([0, 3], "ArrowRight", false, 4)).toEqual([0, 3]);
    expect(after("x")).toBeNull();
  });
});

describe("the matrix", () => {
  it("has a cell for each pair, in the order of similarity or as given", async () => {
    const { names, order } = await showModels("six");
    expect(all("[role=gridcell]")).toHaveLength(36);
    expect(all("th").map((head) => head.title)).toEqual(
      [...order, ...order].map((model) => names[model]),
    );
    expect(id("order").getAttribute("aria-pressed")).toBe("true");
    await click(id("order"));
    expect(stage.model.get("matrix_order")).toBe("given");
    expect(all("th[scope=row]").map((head) => head.title)).toEqual(names);
  });

  it("has a title and the sentences of the view", async () => {
    const { sentences, names } = await showModels("six");
    expect(one(".imd-first").textContent).toBe(
      "6 models, 1,200 rows: share of rows on which each pair differs",
    );
    for (const sentence of sentences) expect(id("about").textContent).toContain(sentence);
    expect(id("pointed").textContent).toContain("accuracy, ★ statistically tied for best.");
    expect(all("[role=gridcell][aria-label]")).toHaveLength(names.length ** 2);
    expect(one("[role=grid]").getAttribute("aria-label")).toBeTruthy();
  });

  it("cuts long names in the middle, and keeps them whole for a screen reader", async () => {
    const { names } = await showModels("six");
    const long = names.find((name) => name.length > 20) as string;
    const [head] = all("th").filter((each) => each.title === long);
    expect(head?.textContent).toMatch(/^gradient.*….*trees$/);
    expect(head?.getAttribute("aria-label")).toBe(long);
  });

  it("shades by the largest share, and drops numbers where there are many", async () => {
    const { shares, order } = await showModels("thirty");
    const largest = Math.max(...shares.flat());
    const [i, j] = [order[3] ?? 0, order[7] ?? 0];
    const shade = Number(cell(i, j).style.getPropertyValue("--imd-share"));
    expect(shade).toBeCloseTo(((shares[i]?.[j] ?? 0) / largest) ** 0.7, 6);
    expect(cell(i, j).textContent).toBe("");
    expect(cell(i, j).getAttribute("aria-label")).toContain("%");
    expect(id("pointed").textContent).toContain(`The strongest shade is ${tenths(largest)}`);
  });

  it("shows names as text only, and lists skipped models", async () => {
    const comparison = fixtures.comparisonNamed("hostile");
    comparison.skipped = [{ name: "<b>x</b>", reason: "it raised an error." }];
    await stage.show(undefined, { comparison });
    expect(all("img, b")).toHaveLength(0);
    expect(id("about").textContent).toContain("<b>x</b> was skipped: it raised an error.");
  });

  it("needs no order of two, and draws models that never differ", async () => {
    await showModels("two");
    expect(gone("order")).toBe(true);
    stage.leave();
    await showModels("same");
    expect(heads("row")).toEqual(["a", "b", "c"]);
    expect(cell(0, 1).style.getPropertyValue("--imd-share")).toBe("0");
  });

  it("tells of a cell while the mouse or the focus is on it", async () => {
    const view = await showModels("six");
    const hint = id("pointed").textContent;
    cell(0, 3).dispatchEvent(new Event("pointerover", { bubbles: true }));
    await settle();
    expect(id("pointed").textContent).toBe(`${cellSentence(view, [0, 3])}.`);
    one("[role=grid]").dispatchEvent(new Event("pointerleave"));
    await settle();
    expect(id("pointed").textContent).toBe(hint);
    cell(1, 3).focus();
    await settle();
    expect(id("pointed").textContent).toBe(`${cellSentence(view, [1, 3])}.`);
  });

  it("is one stop of Tab, and arrow keys move in it", async () => {
    const { order } = await showModels("six");
    const stops = () => all("[role=gridcell][tabindex='0']");
    expect(stops()).toHaveLength(1);
    const [a = 0, b = 0, c = 0] = order;
    expect(stops()[0]).toBe(cell(a, b));
    stops()[0]?.focus();
    await press("ArrowRight");
    expect(document.activeElement).toBe(cell(a, c));
    await press("ArrowDown");
    await press("Home");
    expect(document.activeElement).toBe(cell(b, a));
    expect(stops()).toEqual([cell(b, a)]);
    await press("?");
    expect(one(".imd-help").textContent).toContain("The matrix.");
    await press("Escape");
    expect(all(".imd-help")).toHaveLength(0);
  });
});

describe("a pair", () => {
  it("is asked for by a click, and its diff is drawn below, with its title", async () => {
    const view = await showModels("six");
    expect(gone("headline")).toBe(true);
    await click(cell(0, 3));
    expect(lastSent()).toMatchObject({ kind: "pair", pair: [0, 3] });
    expect(gone("headline")).toBe(true);
    await answerPair(fixtures.small());
    expect(id("pair").textContent?.replace(/\s+/g, " ").trim()).toBe(
      `${view.names[0]} (model 1) vs. ${view.names[3]} (model 2)`,
    );
    expect(id("headline").textContent).toContain("old and new");
    expect(cell(0, 3).getAttribute("aria-selected")).toBe("true");
    expect(all("[aria-selected=true]").filter((each) => each.dataset.place)).toHaveLength(1);
  });

  it("Enter goes to the diff, and Escape comes back to the cell", async () => {
    await showModels("six");
    cell(0, 3).focus();
    await press("Enter");
    await answerPair(fixtures.small());
    expect(document.activeElement).toBe(id("pair"));
    await press("Escape");
    expect(document.activeElement).toBe(cell(0, 3));
    // the pair is there: nothing is asked for
    const before = stage.model.sent.length;
    await press("Enter");
    expect(document.activeElement).toBe(id("pair"));
    expect(stage.model.sent).toHaveLength(before);
  });

  it("Escape lets go of what is selected in the diff before it leaves it", async () => {
    const view = fixtures.small();
    await showModels("six");
    await click(cell(0, 3));
    await answerPair(view);
    await click(one("[data-rule] button"));
    expect(stage.model.get("selected_rules")).toEqual([0]);
    one("[data-rule] button").focus();
    await press("Escape");
    expect(stage.model.get("selected_rules")).toEqual([]);
    await press("Escape");
    expect(document.activeElement).toBe(cell(0, 3));
    await press("Escape");
    expect(document.activeElement).toBe(one(".imd-root"));
  });

  it("is swapped", async () => {
    await showModels("six");
    await click(cell(0, 3));
    await answerPair(fixtures.small());
    await click(id("swap"));
    expect(lastSent()).toMatchObject({ kind: "pair", pair: [3, 0] });
  });

  it("is closed, and opened again without the kernel", async () => {
    await showModels("six");
    await click(cell(0, 3));
    await answerPair(fixtures.small());
    const before = stage.model.sent.length;
    await click(id("close-pair"));
    expect(stage.el.querySelector('[data-testid="imd-pair"]')).toBe(null);
    await click(cell(0, 3));
    expect(id("pair")).toBeTruthy();
    expect(stage.model.sent).toHaveLength(before);
  });

  it("a later one replaces one that is still asked for", async () => {
    await showModels("six");
    await click(cell(0, 3));
    const first = lastSent();
    await click(cell(0, 4));
    const kinds = stage.model.sent.map(({ kind }) => kind);
    expect(kinds).toContain("cancel");
    stage.model.answer({ id: first.id, error: "Cancelled; nothing changed." });
    await settle();
    expect(gone("error")).toBe(true);
    await click(cell(0, 4));
    expect(lastSent()).toMatchObject({ kind: "pair", pair: [0, 4] });
  });

  it("an error is shown below the matrix, and the diff before it stays", async () => {
    await showModels("six");
    await click(cell(0, 3));
    await answerPair(fixtures.small());
    await click(cell(0, 4));
    stage.model.answer({ id: lastSent().id, error: "the model is out of order" });
    await settle();
    expect(id("error").textContent).toContain("out of order");
    expect(all("[data-testid=imd-error]")).toHaveLength(1);
    expect(id("pair").textContent).toContain("by hand");
    await click(one("[data-testid=imd-error] button"));
    expect(gone("error")).toBe(true);
  });

  it("waits with a word and a way to cancel", async () => {
    await showModels("six");
    await click(cell(0, 3));
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(id("status").textContent).toContain("Comparing the two models…");
    await click(id("cancel"));
    expect(lastSent()).toMatchObject({ kind: "cancel" });
  });

  it("another one is drawn from its own state, as Python remembers it", async () => {
    await showModels("six");
    await click(cell(0, 3));
    await answerPair(fixtures.small());
    stage.model.receive("selected_rules", [0]);
    await settle();
    stage.model.receive("view", fixtures.breastCancer());
    stage.model.receive("selected_rules", []);
    stage.model.receive("pair", [1, 2]);
    await settle();
    expect(id("pair").textContent).toContain("RF");
    expect(all("[data-rule] [aria-pressed=true]")).toHaveLength(0);
    expect(all("[data-rule]").length).toBeGreaterThan(1);
  });

  it("that cannot be opened says why, and still has its name", async () => {
    const comparison = fixtures.comparisonNamed("six");
    comparison.openable = [[0, 3]];
    comparison.why_not = "This page does not hold it.";
    await stage.show(undefined, { comparison });
    expect(cell(0, 4).getAttribute("aria-disabled")).toBe("true");
    expect(cell(0, 4).getAttribute("aria-label")).toMatch(/differ on .* This page does not hold/);
    expect(cell(3, 0).hasAttribute("aria-disabled")).toBe(false);
    await click(cell(0, 4));
    cell(0, 4).focus();
    await press("Enter");
    expect(stage.model.sent).toEqual([]);
    expect(id("pointed").textContent).toContain("This page does not hold it.");
  });

  it("the diff has no corner and no save of its own; the matrix has them", async () => {
    await showModels("six");
    await click(cell(0, 3));
    await answerPair(fixtures.small());
    for (const name of ["save", "help", "full"])
      expect(all(`[data-testid="imd-${name}"]`)).toHaveLength(1);
    await click(id("save"));
    expect(lastSent()).toMatchObject({ kind: "save" });
    await click(id("help"));
    expect(one(".imd-help").textContent).toContain("The matrix.");
    expect(one(".imd-help").textContent).toContain("The models differ here.");
  });
});
