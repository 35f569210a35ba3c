// A row opened to read: whole texts, both outputs side by side, marked words.

import { describe, expect, it, vi } from "vitest";
import type { DiffView, Request, RowsPage } from "../../../js/protocol/types";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, click, one, show } = stage;
const lastSent = () => stage.model.sent.at(-1) as Request;

const LONG = `${"nothing to see here ".repeat(20)}but a Refund <b>now</b>`;

/** A view whose rule 1 looks for a word in its first column. */
function aboutWords(): DiffView {
  const view = fixtures.houses();
  const rules = view.rules.map((rule) => ({
    ...rule,
    conditions: rule.conditions.map((condition) => ({ ...condition, position: 0, word: "refund" })),
  }));
  return { ...view, rules };
}

function pageOf(view: DiffView): RowsPage {
  return {
    total: 2,
    start: 0,
    columns: ["linear", "boosting", view.columns[0] as string, "note"],
    roles: ["output1", "output2", "column", "column"],
    lead: 3,
    positions: [3, 8],
    labels: ["a", "b"],
    cells: [
      ["1", "2", `${LONG.slice(0, 199)}…`, "x"],
      ["1", "1", "short", "y"],
    ],
    differs: [true, false],
    whole: [[0, 2, LONG]],
  };
}

async function open() {
  const view = aboutWords();
  await show(view, { selected_rules: [1], tab: "Rows" });
  stage.model.answer({ id: lastSent().id, rows: pageOf(view) });
  await settle();
}

describe("rows with long texts", () => {
  it("show an excerpt with the word marked", async () => {
    await open();
    expect(all("tbody mark").map((mark) => mark.textContent)).toEqual(["Refund"]);
    expect(one("tbody td:nth-of-type(3)").textContent).toMatch(/^….*Refund <b>now<\/b>$/);
    expect(all(".imd-read")).toHaveLength(1);
  });

  it("are opened to read in full, with both outputs", async () => {
    await open();
    const before = stage.model.sent.length;
    await click(one(".imd-read"));
    expect(stage.model.sent).toHaveLength(before); // the row is not traced
    const outputs = all(".imd-reader-outputs div").map((box) => box.textContent);
    expect(outputs).toEqual(["linear1", "boosting2"]);
    const texts = all(".imd-reader dl:not(.imd-reader-outputs) dd").map((text) => text.textContent);
    expect(texts).toEqual([LONG, "x"]);
    expect(all(".imd-reader mark").map((mark) => mark.textContent)).toEqual(["Refund"]);
    expect(all(".imd-reader b")).toHaveLength(1); // a text is never markup
  });

  it("mark the words in which two outputs of several words differ", async () => {
    const view = aboutWords();
    const page = pageOf(view);
    page.cells[0]?.splice(0, 2, "You get a refund.", "You get no refund.");
    await show(view, { selected_rules: [1], tab: "Rows" });
    stage.model.answer({ id: lastSent().id, rows: page });
    await settle();
    await click(one(".imd-read"));
    const marks = all(".imd-reader-outputs mark").map((mark) => mark.textContent);
    expect(marks).toEqual(["a", "no"]);
    expect(one(".imd-reader-outputs").textContent).toContain("You get no refund.");
  });

  it("are left with Escape and turned with the arrow keys", async () => {
    await open();
    await click(one(".imd-read"));
    const press = async (key: string) => {
      one(".imd-reader").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      await settle();
    };
    await press("ArrowRight");
    expect(one(".imd-reader").getAttribute("aria-label")).toBe("Row b");
    await press("ArrowRight");
    expect(one(".imd-reader").getAttribute("aria-label")).toBe("Row b");
    await press("ArrowLeft");
    expect(one(".imd-reader").getAttribute("aria-label")).toBe("Row a");
    await press("Escape");
    expect(all(".imd-reader")).toHaveLength(0);
    expect(all("tbody tr")).toHaveLength(2);
  });

  it("state where a very long text was cut", async () => {
    const view = aboutWords();
    await show(view, { selected_rules: [1], tab: "Rows" });
    const page = pageOf(view);
    const held = `${"é".repeat(9999)}…`;
    stage.model.answer({ id: lastSent().id, rows: { ...page, whole: [[0, 2, held]] } });
    await settle();
    click(one(".imd-read"));
    await settle();
    expect(all(".imd-reader-cut").map((note) => note.textContent)).toEqual([
      "Cut after 10,000 characters.",
    ]);
  });

  it("are copied in full", async () => {
    const writeText = vi.fn(async () => undefined);
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText } });
    await open();
    await click(one(".imd-read"));
    const copy = all(".imd-reader-bar button").at(-1);
    await click(copy as HTMLElement);
    await settle();
    expect(writeText).toHaveBeenCalledWith(expect.stringContaining(LONG));
    vi.unstubAllGlobals();
  });
});
