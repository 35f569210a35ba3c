// Pairs of columns that act together, and the map of the difference for one of them.

import { describe, expect, it } from "vitest";
import * as fixtures from "../fixtures";
import { settle } from "../support";
import { MAP, PAIRS, WHY } from "./whyAnswers";
import { useWhyStage } from "./whyStage";

const { stage, all, answer, click, id, ids, last, one, refuse, sent, show, toggle } = useWhyStage();
const open = async () => {
  await show(fixtures.houses(), { tab: "Why", selected_rules: [0] });
  await answer("explain", { why: WHY });
  await toggle("pairs");
};
const [first, second] = fixtures.houses().names;

describe("the pairs", () => {
  it("come on demand, the strongest first, and one of them has a map", async () => {
    await open();
    expect(last("interactions")).toMatchObject({ rules: [0], node: "" });
    expect(sent("map")).toEqual([]);
    await answer("interactions", { interactions: PAIRS });
    const pairs = all(".imd-pairs button");
    expect(pairs.map((pair) => pair.textContent)).toEqual([
      "age with <b>job</b>0.20 ±0.013",
      "age with pay0.10 ±0.010",
    ]);
    expect(pairs.map((pair) => pair.getAttribute("aria-pressed"))).toEqual(["true", "false"]);
    expect(last("map")).toMatchObject({ rules: [0], columns: [0, 2] });
    await answer("map", { map: MAP });
    await click(pairs[1]);
    expect(last("map")).toMatchObject({ columns: [0, 1] });
    expect(id("map").className).toContain("is-busy");
  });

  it("may be any two columns, which exchange places if the same one is chosen twice", async () => {
    await open();
    await answer("interactions", { interactions: PAIRS });
    await answer("map", { map: MAP });
    const [down, across] = all(".imd-pair-choice select") as HTMLSelectElement[];
    const choose = async (field: HTMLSelectElement | undefined, position: number) => {
      if (!field) throw new Error("no field");
      field.value = String(position);
      field.dispatchEvent(new Event("change", { bubbles: true }));
      await settle();
    };
    expect([across?.value, down?.value]).toEqual(["0", "2"]);
    await choose(down, 1);
    expect(last("map")).toMatchObject({ columns: [0, 1] });
    expect(all('.imd-pairs [aria-pressed="true"]')).toEqual([]);
    await choose(across, 1);
    expect(last("map")).toMatchObject({ columns: [1, 0] });
    await click(all(".imd-pairs button")[0]);
    expect(last("map")).toMatchObject({ columns: [0, 2] });
  });

  it("are cancelled, fail, and are asked for again for another selection", async () => {
    await open();
    await click(id("pairs-status").querySelector("button") as HTMLElement);
    expect(id("pairs-status").textContent).toBe("Cancelled. Try again");
    await click(id("pairs-status").querySelector("button") as HTMLElement);
    await refuse("interactions", "no models");
    expect(id("pairs-error").textContent).toContain("no models");
    stage.model.receive("selected_rules", [1]);
    await settle();
    await answer("explain", { why: WHY });
    expect(last("interactions")).toMatchObject({ rules: [1] });
  });

  it("may be none", async () => {
    await open();
    await answer("interactions", { interactions: { ...PAIRS, pairs: [] } });
    expect(id("pairs").textContent).toContain("No two columns act together");
    expect(sent("map")).toEqual([]);
  });

  it("are not offered where there is no kernel, with the reason", async () => {
    const view = { ...fixtures.houses(), lacks: { interactions: "A page holds no models." } };
    await show(view, { tab: "Why" });
    await answer("explain", { why: WHY });
    expect(ids("pairs")).toEqual([]);
    expect(id("why-missing").textContent).toContain("A page holds no models.");
  });
});

describe("the map", () => {
  const openMap = async () => {
    await open();
    await answer("interactions", { interactions: PAIRS });
    await answer("map", { map: MAP });
  };
  const key = async (name: string, options = {}) => {
    const table = one(".imd-map table");
    table.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, ...options }));
    await settle();
  };
  const reading = () => id("map-reading").textContent;

  it("is a table of signed differences, with the rows on it", async () => {
    await openMap();
    const rows = all(".imd-map tbody tr").map((row) =>
      [...row.children].map((cell) => cell.textContent),
    );
    expect(rows).toEqual([
      ["clerk", "0.00", "−0.20", "+0.10"],
      ["nurse", "−0.50", "+0.10", "0.00"],
    ]);
    const classes = all(".imd-map tbody td").map((cell) => cell.className);
    expect(classes.map((name) => name.includes("is-less"))).toEqual([
      ...[false, true, false],
      ...[true, false, false],
    ]);
    const share = (cell: number) =>
      all(".imd-map tbody td")[cell]?.style.getPropertyValue("--imd-share");
    expect([share(3), share(1)]).toEqual(["1", "0.4"]);
    const dots = all(".imd-map tbody td i").map((dot) => dot.style.getPropertyValue("--imd-dot"));
    expect([dots[0], dots[1], dots[2]]).toEqual(["1", "0.5", "0"]);
    expect(all(".imd-map thead .is-inside").map((cell) => cell.textContent)).toEqual(["20"]);
    expect(all(".imd-map tbody .is-inside")).toEqual([]);
    expect(one(".imd-map").textContent).toContain("bold: inside the rule");
    expect(all(".imd-map b")).toEqual([]);
  });

  it("is read with the keys and with the mouse", async () => {
    await openMap();
    expect(reading()).toBe("Point at a cell, or use the arrow keys, to read it.");
    expect(all(".is-read")).toEqual([]);
    await key("ArrowRight");
    expect(reading()).toBe(
      `age 20, <b>job</b> clerk: ${first} 0.1, ${second} 0.1; 40\u00a0% of the rows`,
    );
    await key("ArrowRight");
    await key("ArrowDown");
    await key("ArrowDown");
    expect(reading()).toContain("age 30, <b>job</b> nurse");
    await key("ArrowLeft", { ctrlKey: true });
    expect(reading()).toContain("age 30, <b>job</b> nurse");
    all(".imd-map tbody td")[2]?.dispatchEvent(new MouseEvent("mouseenter"));
    await settle();
    expect(reading()).toContain("age missing, <b>job</b> clerk");
    expect(all(".is-read").length).toBe(1);
  });

  it("has an error of its own", async () => {
    await open();
    await answer("interactions", { interactions: PAIRS });
    await refuse("map", "out of order");
    expect(id("map-error").textContent).toContain("out of order");
    expect(all(".imd-pairs button").length).toBe(2);
  });
});
