// The tabs at the right, and what the toolbar and the tabs ask of Python.

import { describe, expect, it, vi } from "vitest";
import { matching, NO_FILTER, outcomeKey, sorted } from "../../../js/panels/filter";
import type { Request, RowsPage, Trace } from "../../../js/protocol/types";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle, stubModel } from "../support";

const stage = useStage();
const { all, click, one, show, showWith } = stage;

const id = (name: string) => one(`[data-testid="imd-${name}"]`);
const key = async (element: HTMLElement, name: string) => {
  element.dispatchEvent(
    new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }),
  );
  await settle();
};
const enter = async (element: HTMLElement, value: string, event = "input") => {
  (element as HTMLInputElement).value = value;
  element.dispatchEvent(new Event(event, { bubbles: true }));
  await settle();
};
const tab = (name: string) => one(`[data-tab="${name}"]`);
const listed = () => all("[data-rule]").map((card) => Number(card.dataset.rule));
const lastSent = () => stage.model.sent[stage.model.sent.length - 1] as Request;
const answer = async (fields: object) => {
  stage.model.answer({ id: lastSent().id, ...fields });
  await settle();
};

describe("tabs", () => {
  it("are one tab stop that the arrows move, and control the panel", async () => {
    await show(fixtures.breastCancer());
    expect(all('[role=tab][tabindex="0"]').map((t) => t.textContent)).toEqual(["Rules"]);
    await key(tab("Rules"), "ArrowRight");
    expect(tab("Rows").getAttribute("aria-selected")).toBe("true");
    expect(document.activeElement).toBe(tab("Rows"));
    await key(tab("Rows"), "End");
    expect(all('[role=tab][tabindex="0"]').map((t) => t.textContent)).toEqual(["Why"]);
    await key(tab("Why"), "ArrowRight");
    expect(document.activeElement).toBe(tab("Rules"));
    await key(tab("Rules"), "ArrowLeft");
    const panel = one("[role=tabpanel]");
    expect(tab("Why").getAttribute("aria-controls")).toBe(panel.id);
    expect(panel.getAttribute("aria-labelledby")).toBe(tab("Why").id);
  });

  it("stay open when Python shows something else", async () => {
    await show(fixtures.breastCancer());
    await click(tab("Node"));
    stage.model.receive("view", fixtures.small());
    await settle();
    expect(tab("Node").getAttribute("aria-selected")).toBe("true");
    expect(id("node-panel").textContent).toContain("age");
  });
});

describe("filtering rules", () => {
  const view = fixtures.breastCancer();
  const { rules } = view;

  it("sorts by gain, coverage, rows and rate", async () => {
    const [first, second] = fixtures.small().rules.concat(rules);
    if (!first || !second) throw new Error("too few rules");
    const wide = { ...first, number: 0, support: 9, rate: null, coverage: 0.1 };
    const sure = { ...second, number: 1, support: 3, rate: 0.9, coverage: 0.2 };
    const order = (by: "added" | "coverage" | "rows" | "rate") =>
      sorted([wide, sure], by).map(({ number }) => number);
    expect(order("added")).toEqual([0, 1]);
    expect(order("coverage")).toEqual([1, 0]);
    expect(order("rows")).toEqual([0, 1]);
    expect(order("rate")).toEqual([1, 0]);
    await show(view);
    await enter(id("sort"), "rows", "change");
    const supports = listed().map((number) => rules[number]?.support ?? 0);
    expect(supports).toEqual(supports.toSorted((a, b) => b - a));
    expect(all('[data-testid="imd-clear-filters"]')).toHaveLength(0);
  });

  it("finds text in conditions and in what the models say, in any case", () => {
    const found = (text: string) => matching(rules, { ...NO_FILTER, text });
    expect(found("SMOOTHness")).toEqual(
      rules.filter(({ conditions }) => conditions.some((c) => c.text.includes("smoothness"))),
    );
    expect(found("SMOOTHness").length).toBeLessThan(rules.length);
    expect(found("malignant → benign").length).toBeGreaterThan(0);
    for (const { said } of found("malignant → benign")) expect(said[0]).toBe("malignant");
    expect(found("nowhere")).toEqual([]);
    const [first] = rules;
    if (!first) throw new Error("no rule");
    const loud = { ...first, said: ["YES", "NO"] as [string, string] };
    expect(matching([loud], { ...NO_FILTER, text: "yes" })).toEqual([loud]);
  });

  it("shows how many are left, changes no selection, and can be cleared", async () => {
    await show(view);
    await click(one('[data-rule="0"]'));
    await enter(id("filter"), "smoothness");
    expect(stage.model.get("filters")).toEqual({ text: "smoothness" });
    expect(id("listed").textContent).toBe(`${listed().length} of ${rules.length} rules LR → RF`);
    await enter(id("filter"), "no such text");
    expect(one(".imd-empty").textContent).toBe("No rules match the filters.");
    expect(id("listed").textContent).toBe(`0 of ${rules.length} rules LR → RF`);
    expect(stage.model.get("selected_rules")).toEqual([0]);
    await click(tab("Node"));
    await click(tab("Rules"));
    expect(listed()).toEqual([]);
    await click(id("clear-filters"));
    expect(listed()).toHaveLength(rules.length);
    expect((id("filter") as HTMLInputElement).value).toBe("");
  });

  it("lets Escape empty the search before it clears the selection", async () => {
    await show(view);
    await click(one('[data-rule="0"]'));
    await enter(id("filter"), "smoothness");
    await key(id("filter"), "Escape");
    expect(listed()).toHaveLength(rules.length);
    expect(stage.model.get("selected_rules")).toEqual([0]);
    await key(id("filter"), "Escape");
    expect(stage.model.get("selected_rules")).toEqual([]);
  });

  it("offers the columns of conditions, and no others", async () => {
    await show({ ...view, columns: ["never asked", ...view.columns.toReversed()] });
    const options = [...id("column").querySelectorAll("option")].map((option) => option.value);
    const used = new Set(rules.flatMap(({ conditions }) => conditions.map((c) => c.column)));
    expect(options).toEqual(["", ...view.columns.toReversed().filter((c) => used.has(c))]);
    await enter(id("column"), "worst smoothness", "change");
    expect(listed().length).toBeGreaterThan(0);
    for (const number of listed())
      expect(rules[number]?.conditions.map((c) => c.column)).toContain("worst smoothness");
    expect(listed().length).toBeLessThan(rules.length);
  });

  it("counts outcomes in a table whose cells filter, and a second click undoes it", async () => {
    await showWith("outcomes", view);
    const cells = all("[data-outcome]");
    expect(cells.map((cell) => cell.dataset.outcome).toSorted()).toEqual(["0,1", "1,0"]);
    for (const cell of cells) {
      const own = rules.filter((rule) => outcomeKey(rule) === cell.dataset.outcome);
      const rows = own.reduce((sum, rule) => sum + rule.differing, 0);
      expect(cell.textContent?.trim()).toBe(`${own.length} ${rows}`);
    }
    await click(one('[data-outcome="1,0"]'));
    expect(one('[data-outcome="1,0"]').getAttribute("aria-pressed")).toBe("true");
    for (const number of listed()) expect(rules[number]?.outcomes).toEqual([1, 0]);
    expect(listed().length).toBeLessThan(rules.length);
    await click(one('[data-outcome="1,0"]'));
    expect(listed()).toHaveLength(rules.length);
  });

  it("tells higher from lower where the models give numbers", async () => {
    const houses = fixtures.houses();
    await showWith("outcomes", houses);
    await click(one('[data-outcome="lower"]'));
    const wanted = houses.rules.filter(({ values }) => values && values[1] < values[0]);
    expect(listed().toSorted()).toEqual(wanted.map(({ number }) => number).toSorted());
    expect(wanted.length).toBeGreaterThan(0);
    expect(one('[data-outcome="higher"]').textContent).toContain("boosting higher");
  });

  it("lists pairs where there are too many labels for a table", async () => {
    const many = fixtures.manyClasses();
    const rules = many.rules.flatMap((rule, i) =>
      [0, 1, 2].map((j) => {
        const number = 3 * i + j;
        return { ...rule, number, outcomes: [number, number + 1] as [number, number] };
      }),
    );
    const shop = { ...many, rules, crosstab: null };
    await showWith("outcomes", shop);
    expect(all(".imd-matrix")).toHaveLength(0);
    const { length } = id("pairs").querySelectorAll("option");
    expect(length).toBe(1 + new Set(shop.rules.map(outcomeKey)).size);
    await enter(id("pairs"), outcomeKey(shop.rules[2] as never), "change");
    expect(listed()).toEqual([2]);
  });
});

describe("the node tab", () => {
  it("shows the selected node, or the root if none is selected", async () => {
    const view = fixtures.breastCancer();
    await show(view);
    await click(tab("Node"));
    expect(id("node-panel").textContent).toContain("No node selected");
    const node = view.nodes.find(({ kind, rules }) => kind === "or" && rules.length > 1);
    const root = view.nodes[0];
    if (!node || !root) throw new Error("no such node");
    stage.model.receive("selected_node", node.id);
    await settle();
    const text = id("node-panel").textContent ?? "";
    expect(text).toContain("LR and RF have separate branches over the same rows");
    expect(text).toContain(`${node.differing} of ${node.rows}`);
    expect(text).toContain(`${node.differing} of ${root.differing}`);
    const share = Math.round((100 * node.differing) / root.differing);
    expect(all(".imd-figures dd")[2]?.textContent).toMatch(new RegExp(`^${share}\u00a0%`));
    expect(share).not.toBe(Math.round((100 * node.rows) / root.rows));
  });

  it("counts what either model says", async () => {
    const view = fixtures.threeClasses();
    await show(view);
    await click(tab("Node"));
    for (const side of [0, 1] as const) {
      const lines = all(`[data-tally="${side}"] li`).map((line) => line.textContent);
      const counts = view.nodes[0]?.counts[side] ?? [];
      expect(lines).toEqual(counts.map(([label, rows]) => `${view.classes[label]}${rows}`));
    }
    expect(all("[data-tally] .imd-swatch").length).toBe(6);
  });

  it("puts both means on the scale", async () => {
    const view = fixtures.houses();
    const node = view.nodes.find(({ id }) => id === "ryy");
    expect(node?.means?.[0]).toBeGreaterThan(node?.means?.[1] ?? 0);
    await show(view, { selected_node: "ryy" });
    await click(tab("Node"));
    const [first, second] = all("[data-mean]").map((line) => ({
      text: line.textContent,
      left: Number.parseFloat(line.querySelector<HTMLElement>("i")?.style.left ?? ""),
    }));
    expect(first?.text).toMatch(/linear240k/);
    expect(second?.text).toMatch(/boosting216k/);
    expect(second?.left).toBeLessThan(first?.left ?? 0);
  });

  it("leads back to the root, question by question", async () => {
    const view = fixtures.breastCancer();
    const leaf = view.nodes.find(({ kind, side, depth }) => kind === "leaf" && side === 2 && depth);
    await show(view, { selected_node: leaf?.id ?? "" });
    await click(tab("Node"));
    const crumbs = all("[data-crumb]");
    expect(crumbs[0]?.dataset.crumb).toBe("r");
    expect(crumbs[0]?.textContent).toBe(view.nodes[0]?.condition);
    expect(crumbs[0]?.parentElement?.textContent).toMatch(/yes$/);
    expect(crumbs.map((crumb) => crumb.dataset.crumb)).toContain(leaf?.parent);
    expect(crumbs.at(-1)?.getAttribute("aria-current")).toBe("location");
    expect(crumbs.at(-2)?.parentElement?.textContent).toMatch(/RF$/);
    await click(crumbs[1] as HTMLElement);
    expect(stage.model.get("selected_node")).toBe(crumbs[1]?.dataset.crumb);
  });

  it("draws the column of a split with its threshold", async () => {
    const view = fixtures.small();
    const bars = view.nodes[0]?.bars;
    if (!bars) throw new Error("no bars");
    await show(view);
    await click(tab("Node"));
    const columns = all(".imd-columns > span");
    expect(columns).toHaveLength(bars.same.length);
    const heights = columns.map((column) =>
      [...column.querySelectorAll("i")].map((bar) => Number.parseFloat(bar.style.height)),
    );
    const most = Math.max(...bars.same.map((rows, i) => rows + (bars.differ[i] ?? 0)));
    for (const [i, [same, differ]] of heights.entries()) {
      expect(same).toBeCloseTo((100 * (bars.same[i] ?? 0)) / most, 6);
      expect(differ).toBeCloseTo((100 * (bars.differ[i] ?? 0)) / most, 6);
    }
    const at = Number.parseFloat(one(".imd-cut").style.left);
    expect(at).toBeCloseTo((100 * (bars.cut ?? 0)) / bars.same.length, 6);
    const axis = one(".imd-histogram p").textContent ?? "";
    expect(axis.startsWith(bars.low)).toBe(true);
    expect(axis.endsWith(bars.high)).toBe(true);
    const shares = bars.same.map(
      (rows, i) => (bars.differ[i] ?? 0) / (rows + (bars.differ[i] ?? 0)),
    );
    const known = shares.filter((share) => !Number.isNaN(share));
    expect(all(".imd-share-line .is-dot")).toHaveLength(known.length);
    const top = Math.round(100 * Math.max(...known));
    expect(one(".imd-share-key").textContent).toContain(`up to ${top}`);
    expect(bars.low).toMatch(/^< \d/);
  });

  it("names the bars of a column without order, and what is missing, as text", async () => {
    const view = fixtures.small();
    const labels = ["<img src=x onerror=alert(1)>", "blue"];
    const bars = { low: "", high: "", cut: null, labels, same: [3, 4], differ: [2, 0] };
    const [root, ...rest] = view.nodes;
    if (!root) throw new Error("no root");
    const nodes = [{ ...root, bars: { ...bars, missing: [7, 1] as [number, number] } }, ...rest];
    await show({ ...view, nodes });
    await click(tab("Node"));
    expect(all("img")).toHaveLength(0);
    const lines = all(".imd-histogram li").map((line) => line.textContent);
    expect(lines).toEqual([`${labels[0]}5 · 40\u00a0%`, "blue4 · 0\u00a0%"]);
    expect(one(".imd-histogram").textContent).toContain("Missing: 8 rows, 1 of them differ");
  });
});

function pageOf(fields: Partial<RowsPage> = {}): RowsPage {
  const positions = Array.from({ length: 50 }, (_, i) => i * 2);
  return {
    total: 1234,
    start: 0,
    columns: ["old", "new", "age", "<b>hours</b>"],
    roles: ["output1", "output2", "column", "column"],
    lead: 3,
    positions,
    labels: positions.map((at) => `#${at}`),
    cells: positions.map((at) => ["no", at % 4 ? "yes" : "no", String(at), "<i>"]),
    differs: positions.map((at) => at % 4 !== 0),
    whole: [],
    ...fields,
  };
}

const TRACE: Trace = {
  row: 2,
  label: "#2",
  nodes: ["r", "rn", "rn1", "rn2"],
  said: ["yes", "no"],
  surrogate: ["yes", "no"],
  rules: [0],
  differs: true,
};

describe("the rows tab", () => {
  it("asks for the rows of the selection, and only when it is open", async () => {
    await show(fixtures.small(), { selected_node: "rn" });
    expect(stage.model.sent).toEqual([]);
    await click(tab("Rows"));
    expect(lastSent()).toMatchObject({
      kind: "rows",
      rules: [],
      node: "rn",
      start: 0,
      count: 50,
      sort: null,
      differing: false,
    });
    expect(id("rows-status").textContent).toBe("Loading…");
    await answer({ rows: pageOf() });
    expect(id("rows-status").textContent).toBe("rows 1-50 of 1,234");
    expect(all("tbody tr[data-row]")).toHaveLength(50);
    expect(all("thead th").map((head) => head.textContent)).toEqual([
      "row",
      "oldoutput",
      "newoutput",
      "age",
      "<b>hours</b>",
    ]);
    expect(all("tbody tr:first-child .is-lead").map((cell) => cell.textContent)).toEqual(["0"]);
    expect(one('[data-row="2"]').textContent).toContain("≠");
    expect(one('[data-row="4"]').textContent).not.toContain("≠");
    expect(all("tbody i, tbody b")).toHaveLength(0);
    stage.model.receive("selected_rules", [0]);
    await settle();
    expect(lastSent()).toMatchObject({ rules: [0], node: "rn" });
    expect(stage.model.sent).toHaveLength(2);
  });

  it("pages, and begins again for another selection", async () => {
    await show(fixtures.small());
    await click(tab("Rows"));
    await answer({ rows: pageOf() });
    await click(id("previous"));
    expect(stage.model.sent).toHaveLength(1);
    await click(id("next"));
    expect(lastSent()).toMatchObject({ start: 50 });
    await answer({ rows: pageOf({ start: 50 }) });
    expect(id("rows-status").textContent).toBe("rows 51-100 of 1,234");
    stage.model.receive("selected_node", "rn");
    await settle();
    expect(lastSent()).toMatchObject({ start: 0, node: "rn" });
    await answer({ rows: pageOf({ total: 50 }) });
    await click(id("next"));
    expect(lastSent()).toMatchObject({ start: 0 });
  });

  it("sorts up, down and not at all, and leaves out what is the same", async () => {
    await show(fixtures.small());
    await click(tab("Rows"));
    await answer({ rows: pageOf() });
    for (const [sort, said] of [
      [{ column: 3, descending: false }, "ascending"],
      [{ column: 3, descending: true }, "descending"],
      [null, "none"],
    ] as const) {
      await click(one('[data-sort="3"]'));
      expect(lastSent()).toMatchObject({ sort });
      await answer({ rows: pageOf() });
      expect(one("th:has([data-sort='3'])").getAttribute("aria-sort")).toBe(said);
    }
    await click(id("differing"));
    expect(lastSent()).toMatchObject({ differing: true, start: 0 });
    expect(id("differing").getAttribute("aria-pressed")).toBe("true");
  });

  it("shows an error where it happened, and takes no answer to an old question", async () => {
    await show(fixtures.small());
    await click(tab("Rows"));
    const old = lastSent().id;
    await click(id("differing"));
    await answer({ error: "<b>no memory</b>" });
    stage.model.answer({ id: old, rows: pageOf() });
    await settle();
    expect(all("[data-row]")).toHaveLength(0);
    expect(id("rows-error").textContent).toContain("<b>no memory</b>");
    await click(id("rows-error").querySelector("button") as HTMLElement);
    await answer({ rows: pageOf() });
    expect(all('[data-testid="imd-rows-error"]')).toHaveLength(0);
    expect(all("[data-row]")).toHaveLength(50);
  });

  it("says why it is empty where there are none", async () => {
    await show({ ...fixtures.small(), lacks: { rows: "No rows here." } });
    await click(tab("Rows"));
    expect(id("no-rows").textContent).toBe("No rows here.");
    expect(stage.model.sent).toEqual([]);
  });

  it("traces a clicked row through the tree until Escape", async () => {
    await show(fixtures.small());
    await click(tab("Rows"));
    await answer({ rows: pageOf() });
    await click(one('[data-row="2"] td'));
    expect(lastSent()).toMatchObject({ kind: "trace", row: 2 });
    expect(id("rows-status").textContent).toBe("Loading…");
    stage.model.receive("traced", TRACE);
    await answer({});
    expect(one('[data-node="rn"]').classList).toContain("is-lit");
    expect(one('[data-node="ry"]').classList).toContain("is-dim");
    expect(one('[data-row="2"]').classList).toContain("is-selected");
    expect(id("trace").textContent).toContain("Row #2 · old: yes · new: no · rule 0");
    expect(stage.model.get("selected_rules")).toEqual([]);
    await key(one('[data-row="2"] button'), "Escape");
    expect(stage.model.get("traced")).toBeNull();
    expect(all(".is-dim")).toHaveLength(0);
    expect(all('[data-testid="imd-trace"]')).toHaveLength(0);
  });

  it("stops tracing by its button, by a second click and for a selection", async () => {
    await show(fixtures.small(), { traced: TRACE });
    await click(tab("Rows"));
    await answer({ rows: pageOf() });
    // a busy kernel does not keep it there
    stage.model.become(false);
    for (const close of [
      '[data-testid="imd-trace"] .imd-close',
      '[data-row="2"] button',
      '[data-testid="imd-trace"] .imd-text-button',
    ]) {
      stage.model.receive("traced", TRACE);
      await settle();
      await click(one(close));
      expect(stage.model.get("traced"), close).toBeNull();
    }
    expect(stage.model.sent.filter(({ kind }) => kind === "trace")).toEqual([]);
    expect(stage.model.get("selected_rules")).toEqual([0]);
    expect(tab("Rules").getAttribute("aria-selected")).toBe("true");
  });

  it("leads to why, unless that is shown or cannot be asked", async () => {
    const buttons = () => all('[data-testid="imd-trace"] button').map((own) => own.textContent);
    await show(fixtures.small(), { traced: TRACE });
    expect(buttons()).toEqual(["rule 0", "Why? What if?", "×"]);
    await click(all('[data-testid="imd-trace"] button')[1]);
    expect(stage.model.get("tab")).toBe("Why");
    expect(buttons()).toEqual(["rule 0", "×"]);
    await show({ ...fixtures.small(), lacks: { what_if: "No models." } }, { traced: TRACE });
    expect(buttons().includes("Why? What if?")).toBe(false);
  });

  it("explains how the row deviates from the tree or its rule", async () => {
    await show(fixtures.small(), { traced: { ...TRACE, surrogate: ["no", "no"], rules: [] } });
    expect(id("trace").textContent).toContain(
      "· not in any rule. The tree approximates the models: this row's leaf has no for old. " +
        "The models differ on this row, but no rule covers it.",
    );
    await show(fixtures.small(), { traced: { ...TRACE, said: ["yes", "yes"], differs: false } });
    expect(id("trace").textContent).toContain("this row's leaf has no for new.");
    expect(id("trace").textContent).toContain("The models agree on this row");
    await show(fixtures.small(), { traced: TRACE });
    expect(id("trace").textContent).not.toContain(".");
  });
});

describe("the toolbar", () => {
  it("asks once for several steps, and shows what was asked for", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);
    const press = async (element: HTMLElement) => {
      element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      await after(60);
    };
    try {
      const view = fixtures.small();
      stage.model = stubModel(fixtures.stateOf(view));
      stage.put(stage.model);
      await after(100);
      await press(id("options"));
      await press(id("less"));
      await press(id("less"));
      expect(id("depth").textContent).toBe("4");
      expect(stage.model.sent).toEqual([]);
      await after(300);
      expect(stage.model.sent).toHaveLength(1);
      expect(lastSent()).toMatchObject({ kind: "change", options: { max_depth: 4 } });
      expect(id("score").textContent).toBe("comparing…");
      expect(id("refine").getAttribute("aria-disabled")).toBe("true");
      stage.model.receive("view", { ...view, options: { ...view.options, max_depth: 4 } });
      stage.model.answer({ id: lastSent().id });
      await after(100);
      expect(id("depth").textContent).toBe("4");
      expect(id("refine").getAttribute("aria-disabled")).toBe("false");
      await press(id("more"));
      await after(300);
      stage.model.answer({ id: lastSent().id, error: "too deep" });
      await after(100);
      expect(id("depth").textContent).toBe("4");
      expect(id("error").textContent).toContain("too deep");
    } finally {
      vi.useRealTimers();
    }
  });

  it("replaces a change under way by a later one, and forgets one that was not sent when asked for more", async () => {
    await showWith("options", fixtures.small());
    await click(id("less"));
    await vi.waitFor(() => expect(stage.model.sent).toHaveLength(1));
    const first = lastSent().id;
    await click(id("less"));
    await vi.waitFor(() => expect(stage.model.sent).toHaveLength(3));
    expect(stage.model.sent[1]).toMatchObject({ kind: "cancel", of: first });
    expect(stage.model.sent[2]).toMatchObject({ kind: "change", options: { max_depth: 4 } });
    stage.model.answer({ id: first, error: "Cancelled" });
    await settle();
    expect(all('[data-testid="imd-error"]')).toEqual([]);
    expect(id("depth").textContent).toBe("4");
    stage.model.answer({ id: lastSent().id });
    await settle();

    const view = fixtures.small();
    stage.model.receive("view", {
      ...view,
      refinement: { ...view.refinement, undoable: true },
    });
    await settle();
    await click(id("less"));
    await click(id("undo"));
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(stage.model.sent.slice(3).map(({ kind }) => kind)).toEqual(["undo"]);
  });

  it("puts quick changes together, and holds the last one while an older one is answered", async () => {
    const view = fixtures.small();
    await showWith("options", view);
    await click(id("less"));
    await enter(id("sensitivity"), "0.2");
    await vi.waitFor(() => expect(stage.model.sent).toHaveLength(1));
    expect(lastSent()).toMatchObject({ options: { max_depth: 5, sensitivity: 0.2 } });
    await click(id("less"));
    stage.model.receive("view", { ...view, options: { ...view.options, max_depth: 5 } });
    stage.model.answer({ id: lastSent().id });
    await settle();
    expect(id("depth").textContent).toBe("4");
    await vi.waitFor(() => expect(stage.model.sent).toHaveLength(2));
    expect(lastSent()).toMatchObject({ options: { max_depth: 4 } });
    expect(id("depth").textContent).toBe("4");
  });

  it("moves between automatic and a sensitivity of one's own", async () => {
    const view = fixtures.small();
    await showWith("options", view);
    expect(id("auto").getAttribute("aria-pressed")).toBe("true");
    const { precision, recall } = view.metrics;
    const share = (of: number) => `${Math.round(100 * of)}\u00a0%`;
    expect(id("score").textContent).toBe(`precision ${share(precision)} recall ${share(recall)}`);
    await enter(id("sensitivity"), "0.35");
    expect(id("auto").getAttribute("aria-pressed")).toBe("false");
    await vi.waitFor(() => expect(stage.model.sent).toHaveLength(1));
    expect(lastSent()).toMatchObject({ kind: "change", options: { sensitivity: 0.35 } });
    stage.model.receive("view", { ...view, options: { ...view.options, sensitivity: 0.35 } });
    await answer({});
    await click(id("auto"));
    await vi.waitFor(() => expect(stage.model.sent).toHaveLength(2));
    expect(lastSent()).toMatchObject({ options: { sensitivity: null } });
  });

  it("lets rules condition on one model's output", async () => {
    const view = fixtures.small();
    await showWith("options", view);
    const choice = id("given") as HTMLSelectElement;
    expect(choice.value).toBe("nothing");
    const [one, two] = view.names;
    expect([...choice.options].map((option) => option.textContent)).toEqual([
      "nothing",
      `${one}'s output`,
      `${two}'s output`,
      "the better one",
    ]);
    choice.value = "auto";
    choice.dispatchEvent(new Event("change", { bubbles: true }));
    await vi.waitFor(() => expect(lastSent()).toMatchObject({ options: { given: "auto" } }));
    stage.model.receive("view", { ...view, options: { ...view.options, given: "m2" } });
    await answer({});
    expect((id("given") as HTMLSelectElement).value).toBe("m2");
  });

  it("asks how sure the models are in a control of its own", async () => {
    const view = fixtures.small();
    await showWith("options", view);
    const box = id("sure") as HTMLInputElement;
    expect(box.checked).toBe(false);
    const label = box.closest("label");
    expect(label?.textContent).toBe("How sure the models are");
    expect(label?.title).toContain("Another question");
    await click(box);
    await vi.waitFor(() => expect(lastSent()).toMatchObject({ options: { given: "margins" } }));
    stage.model.receive("view", { ...view, options: { ...view.options, given: "margins" } });
    await answer({});
    expect((id("sure") as HTMLInputElement).checked).toBe(true);
    expect((id("given") as HTMLSelectElement).value).toBe("nothing");
    await click(id("sure"));
    await vi.waitFor(() => expect(lastSent()).toMatchObject({ options: { given: "nothing" } }));
  });

  it("has no slider where sensitivity means nothing, and stops at the ends", async () => {
    const view = fixtures.small();
    await showWith("options", {
      ...view,
      options: { ...view.options, max_depth: 1, tunable: false },
    });
    expect(all('[data-testid="imd-sensitivity"]')).toHaveLength(0);
    expect(all('[data-testid="imd-given"]')).toHaveLength(0);
    expect(id("less").getAttribute("aria-disabled")).toBe("true");
    await click(id("less"));
    expect(id("depth").textContent).toBe("1");
  });

  it("saves the page that the kernel writes", async () => {
    const blobs: Blob[] = [];
    const saved: string[] = [];
    vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
      blobs.push(blob as Blob);
      return "blob:page";
    });
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      saved.push(`${this.download} ${this.href}`);
    });
    await show(fixtures.small());
    await click(id("save"));
    expect(lastSent().kind).toBe("save");
    expect(id("save").textContent).toBe("Saving…");
    await answer({ page: "<!doctype html>" });
    expect(saved).toEqual(["diff.html blob:page"]);
    expect(await blobs[0]?.text()).toBe("<!doctype html>");
    expect(all("a")).toHaveLength(0);
    vi.restoreAllMocks();
  });

  it("is off where it cannot be asked for, with the reason", async () => {
    await showWith("options", {
      ...fixtures.small(),
      lacks: { save: "Not here.", change: "Not here." },
    });
    for (const name of ["less", "more", "auto", "save"]) {
      expect(id(name).getAttribute("aria-disabled"), name).toBe("true");
      expect(id(name).title, name).toBe("Not here.");
      await click(id(name));
    }
    expect(id("sensitivity").getAttribute("aria-disabled")).toBe("true");
    expect(id("sensitivity").closest<HTMLElement>("[title]")?.title).toBe("Not here.");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(stage.model.sent).toEqual([]);
  });
});

describe("keys", () => {
  it("Escape leaves an empty search", async () => {
    await show(fixtures.breastCancer());
    const search = one("input[type=search]") as HTMLInputElement;
    search.focus();
    expect(document.activeElement).toBe(search);
    search.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    await settle();
    expect(document.activeElement).toBe(one(".imd-root"));
  });

  it("/ goes to the search from any tab, ? opens the help", async () => {
    await show(fixtures.breastCancer());
    await click(tab("Node"));
    await key(one('[role=treeitem][tabindex="0"]'), "/");
    expect(document.activeElement).toBe(id("filter"));
    await key(id("filter"), "?");
    expect(all(".imd-help")).toHaveLength(0);
    await key(tab("Rules"), "?");
    expect(all(".imd-help")).toHaveLength(1);
    await key(tab("Rules"), "Escape");
    expect(all(".imd-help")).toHaveLength(0);
  });
});
