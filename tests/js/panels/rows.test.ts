// The order of what is listed for a row, what it is called, and how it is saved.

import { afterEach, describe, expect, it, vi } from "vitest";
import type { Request, RowsPage } from "../../../js/protocol/types";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, click, one, show } = stage;
const id = (name: string) => one(`[data-testid="imd-${name}"]`);
const lastSent = () => stage.model.sent.at(-1) as Request;

/** Columns of the table that are called as an output, as the truth and as the distance are. */
const ROWS: RowsPage = {
  total: 60,
  start: 0,
  columns: ["y", "linear", "boosting", "y", "apart", "linear", "apart"],
  roles: ["column", "output1", "output2", "truth", "distance", "column", "column"],
  lead: 5,
  positions: [3, 8],
  labels: ["a", "b"],
  cells: [
    ["1", "2", "3", "4", "5", "6", "7"],
    ["1", "2", "3", "4", "5", "6", "=1+1"],
  ],
  differs: [true, false],
  whole: [],
};

async function open() {
  await show(fixtures.houses(), { selected_rules: [1], tab: "Rows" });
  stage.model.answer({ id: lastSent().id, rows: ROWS });
  await settle();
}

describe("the listed columns", () => {
  it("are the row, the columns of the rule, outputs, truth, distance, then the others, with tags", async () => {
    await open();
    const heads = all("thead th").map((head) => [
      head.dataset.role ?? "row",
      head.querySelector("span")?.textContent ?? head.textContent,
      head.querySelector(".imd-tag")?.textContent ?? "",
    ]);
    expect(heads).toEqual([
      ["row", "row", ""],
      ["column", "y", ""],
      ["output1", "linear", "output"],
      ["output2", "boosting", "output"],
      ["truth", "y", "truth"],
      ["distance", "apart", "distance"],
      ["column", "linear", ""],
      ["column", "apart", ""],
    ]);
    const titles = all("[data-sort]").map((button) => button.title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(all("thead .is-output").map((head) => head.textContent)).toEqual(["y"]);
    expect(all("thead .is-lead").map((head) => head.dataset.role)).toEqual(["distance"]);
  });

  it("are sorted by the distance with the largest first", async () => {
    await open();
    for (const sort of [{ column: 4, descending: true }, { column: 4, descending: false }, null]) {
      await click(one('[data-sort="4"]'));
      expect(lastSent()).toMatchObject({ kind: "rows", sort });
      stage.model.answer({ id: lastSent().id, rows: ROWS });
      await settle();
    }
    await click(one('[data-sort="0"]'));
    expect(lastSent()).toMatchObject({ sort: { column: 0, descending: false } });
  });
});

describe("saving rows", () => {
  afterEach(() => vi.restoreAllMocks());

  it("asks for all of them as they are listed, and downloads what comes", async () => {
    const blobs: Blob[] = [];
    const saved: string[] = [];
    vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
      blobs.push(blob as Blob);
      return "blob:rows";
    });
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      saved.push(this.download);
    });
    await open();
    await click(one('[data-sort="4"]'));
    stage.model.answer({ id: lastSent().id, rows: ROWS });
    await settle();
    expect(id("csv").title).toContain("60 rows");
    await click(id("csv"));
    expect(lastSent()).toMatchObject({
      kind: "csv",
      rules: [1],
      node: "",
      sort: { column: 4, descending: true },
      differing: false,
    });
    stage.model.answer({ id: lastSent().id, csv: 'row,y\n3,"a,b"\n' });
    await settle();
    expect(saved).toEqual(["rows.csv"]);
    expect(await blobs[0]?.text()).toBe('row,y\n3,"a,b"\n');
    expect(blobs[0]?.type).toBe("text/csv");
  });

  it("shows an error, and says why it cannot", async () => {
    await open();
    await click(id("csv"));
    stage.model.answer({ id: lastSent().id, error: "The selection has <b>too many</b> rows" });
    await settle();
    expect(id("error").textContent).toContain("<b>too many</b>");
    stage.model.receive("view", { ...fixtures.houses(), lacks: { csv: "Not here." } });
    await settle();
    expect(id("csv").title).toBe("Not here.");
  });
});
