import { describe, expect, it, vi } from "vitest";
import widget from "../../../js/entry/widget";
import { flatten, indexNodes, visibleTree } from "../../../js/tree/visible";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle, stubModel } from "../support";

const stage = useStage();
const { all, click, one, show } = stage;

const byNode = (id: string) => all("[data-node]").find((node) => node.dataset.node === id);
const button = (id: string) => one(`[data-testid="imd-${id}"]`) as HTMLButtonElement;
const key = async (element: HTMLElement, name: string) => {
  element.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
  await settle();
};

describe("first look", () => {
  it("says the headline, draws the tree and lists all rules", async () => {
    const view = fixtures.breastCancer();
    await show(view);
    const said = button("headline").textContent?.replace(/\s/g, " ");
    expect(said).toContain(view.headline.sentences[0]);
    expect(all('[data-or="true"]').length).toBeGreaterThan(1);
    expect(all("[data-rule]")).toHaveLength(view.rules.length);
    expect(stage.model.set).not.toHaveBeenCalled();
  });

  it("shows a sentence where there is no rule", async () => {
    await show(fixtures.noDifference());
    expect(all("[data-kind=stub]")).toHaveLength(1);
    expect(one(".imd-empty").textContent).toBe("LR and LR again agree on all 300 rows.");
  });

  it("says always where a rule has no condition", async () => {
    await show(fixtures.always());
    expect(one("[data-rule] .imd-row-conditions").textContent).toBe("always");
    await click(one("[data-rule]"));
    expect(one("[data-rule] .imd-chip").textContent).toBe("always");
  });

  it("shows names as text, whatever they contain", async () => {
    await show(fixtures.hostile());
    expect(all("script, img")).toHaveLength(0);
    expect(one('[data-testid="imd-headline"]').textContent).toContain("<script>alert(1)</script>");
    expect(one("[data-rule]").textContent).toContain("__proto__");
    expect(one(".imd-legend").textContent).toContain("<img src=x onerror=alert(2)>");
  });

  it("draws a thousand nodes and pages the rules", async () => {
    const view = fixtures.big();
    expect(view.nodes.length).toBeGreaterThan(1000);
    await show(view);
    await click(button("all"));
    const whole = visibleTree(indexNodes(view.nodes), { differencesOnly: false, folds: new Map() });
    expect(all("[data-node]").length).toBe(flatten(whole).length);
    expect(all("[data-rule]")).toHaveLength(50);
    await click(one(".imd-more"));
    expect(all("[data-rule]")).toHaveLength(100);
  });
});

describe("selecting", () => {
  it("writes the clicked or-node and lists its rules", async () => {
    const view = fixtures.breastCancer();
    await show(view);
    const node = view.nodes.find(({ kind, rules }) => kind === "or" && rules.length > 1);
    await click(byNode(node?.id ?? ""));
    expect(stage.model.set).toHaveBeenCalledWith("selected_node", node?.id);
    expect(stage.model.save_changes).toHaveBeenCalledTimes(1);
    const listed = all("[data-rule]").map((card) => Number(card.dataset.rule));
    expect(listed.toSorted()).toEqual(node?.rules.toSorted());
    expect(listed.length).toBeLessThan(view.rules.length);
    expect(byNode(node?.id ?? "")?.classList).toContain("is-selected");
  });

  it("lights the path of a clicked rule and dims the rest", async () => {
    const view = fixtures.breastCancer();
    await show(view);
    const rule = view.rules.find(({ node }) => byNode(node)?.dataset.kind === "or");
    if (!rule) throw new Error("no rule");
    await click(one(`[data-rule="${rule.number}"]`));
    expect(stage.model.get("selected_rules")).toEqual([rule.number]);
    for (const id of ["r", rule.node, ...rule.leaves.flat()])
      expect(byNode(id)?.classList, id).toContain("is-lit");
    const dim = all("[data-node].is-dim");
    expect(dim.length).toBeGreaterThan(0);
    expect(dim.some((node) => node.classList.contains("is-lit"))).toBe(false);
  });

  it("adds with Shift, takes back with a second click, clears with Escape", async () => {
    await show(fixtures.breastCancer());
    await click(one('[data-rule="0"]'));
    await click(one('[data-rule="1"]'), { shiftKey: true });
    expect(stage.model.get("selected_rules")).toEqual([0, 1]);
    await click(one('[data-rule="0"]'), { shiftKey: true });
    expect(stage.model.get("selected_rules")).toEqual([1]);
    await key(one('[data-rule="1"] button'), "Escape");
    expect(stage.model.get("selected_rules")).toEqual([]);
    expect(all(".is-lit")).toHaveLength(0);
  });

  it("previews on hover without writing", async () => {
    await show(fixtures.breastCancer());
    one('[data-rule="0"]').dispatchEvent(new MouseEvent("mouseenter"));
    await settle();
    expect(all("[data-node].is-lit").length).toBeGreaterThan(0);
    expect(stage.model.set).not.toHaveBeenCalled();
  });

  it("clears by a click on the empty canvas", async () => {
    await show(fixtures.breastCancer(), { selected_node: "ry" });
    await click(one('[data-testid="imd-tree"]'));
    expect(stage.model.get("selected_node")).toBe("");
  });

  it("follows Python without answering back", async () => {
    await show(fixtures.breastCancer());
    stage.model.receive("selected_rules", [1]);
    await settle();
    expect(one('[data-rule="1"]').classList).toContain("is-selected");
    expect(all("[data-node].is-lit").length).toBeGreaterThan(0);
    expect(stage.model.save_changes).not.toHaveBeenCalled();
  });

  it("drops what is no longer there", async () => {
    await show(fixtures.breastCancer(), { selected_node: "ryn", selected_rules: [3] });
    stage.model.receive("view", fixtures.always());
    await settle();
    expect(all(".is-selected")).toHaveLength(0);
    expect(all("[data-rule]")).toHaveLength(1);
  });
});

describe("folding", () => {
  it("is for the chevron, selecting for the body", async () => {
    await show(fixtures.breastCancer());
    const before = all("[data-node]").length;
    const chevron = byNode("ry")?.querySelector<HTMLElement>(".imd-chevron") ?? undefined;
    await click(chevron);
    expect(all("[data-node]").length).toBeLessThan(before);
    expect(byNode("ry")?.getAttribute("aria-expanded")).toBe("false");
    expect(stage.model.get("selected_node")).toBe("");
    expect(stage.model.get("folds")).toEqual({ ry: true });
    await click(byNode("ry"));
    expect(byNode("ry")?.getAttribute("aria-expanded")).toBe("false");
    expect(stage.model.get("selected_node")).toBe("ry");
  });

  it("survives a new view, and gives way to a selected rule", async () => {
    await show(fixtures.breastCancer());
    await click(byNode("ry")?.querySelector<HTMLElement>(".imd-chevron") ?? undefined);
    stage.model.receive("view", fixtures.breastCancer());
    await settle();
    expect(byNode("ry")?.getAttribute("aria-expanded")).toBe("false");
    const inside = stage.model.get("view").rules.find(({ node }) => node.startsWith("ry"));
    await click(one(`[data-rule="${inside?.number}"]`));
    expect(byNode(inside?.node ?? "")?.classList).toContain("is-lit");
  });

  it("is undone for the whole tree by one click", async () => {
    const view = fixtures.breastCancer();
    await show(view);
    expect(all("[data-kind=stub]").length).toBeGreaterThan(0);
    await click(button("all"));
    expect(all("[data-kind=stub]")).toHaveLength(0);
    expect(button("all").getAttribute("aria-pressed")).toBe("false");
  });
});

describe("keyboard", () => {
  it("has one tab stop, moves it and selects only on Enter", async () => {
    await show(fixtures.breastCancer());
    expect(all('[role=treeitem][tabindex="0"]')).toHaveLength(1);
    await key(one('[role=treeitem][tabindex="0"]'), "n");
    const stop = one('[role=treeitem][tabindex="0"]');
    expect(stop.dataset.or).toBe("true");
    expect(stage.model.set).not.toHaveBeenCalled();
    await key(stop, "Enter");
    expect(stage.model.get("selected_node")).toBe(stop.dataset.node);
  });
});

describe("asking Python", () => {
  it("refines: busy, answered, reported", async () => {
    const view = fixtures.breastCancer();
    await show(view);
    expect(button("refine").textContent).toBe(`Refine ${view.refinement.impure} impure leaves`);
    expect(view.refinement.impure).toBeGreaterThan(1);
    expect(button("undo").getAttribute("aria-disabled")).toBe("true");
    await click(button("refine"));
    expect(stage.model.sent.map(({ kind }) => kind)).toEqual(["refine"]);
    expect(button("refine").textContent).toBe("Refining…");
    expect(button("refine").getAttribute("aria-disabled")).toBe("true");
    const added = [view.nodes[1]?.id ?? ""];
    const refinement = { ...view.refinement, steps: 1, undoable: true, change: "+1 rule", added };
    stage.model.receive("view", { ...view, refinement });
    stage.model.answer({ id: stage.model.sent[0]?.id ?? "" });
    await settle();
    expect(button("refine").getAttribute("aria-disabled")).toBe("false");
    expect(button("undo").getAttribute("aria-disabled")).toBe("false");
    expect(one('[data-testid="imd-status"]').textContent).toBe("+1 rule");
    expect(all(".is-new").map((node) => node.dataset.node)).toEqual(added);
  });

  it("shows an error until it is dismissed", async () => {
    await show(fixtures.breastCancer());
    await click(button("refine"));
    stage.model.answer({ id: stage.model.sent[0]?.id ?? "", error: "<b>no memory</b>" });
    await settle();
    const alert = one('[data-testid="imd-error"][role=alert]');
    expect(alert.textContent).toContain("<b>no memory</b>");
    expect(button("refine").getAttribute("aria-disabled")).toBe("false");
    await click(alert.querySelector("button") ?? undefined);
    expect(all('[data-testid="imd-error"]')).toHaveLength(0);
  });

  it("says why it is not possible", async () => {
    const view = fixtures.breastCancer();
    await show({ ...view, refinement: { ...view.refinement, reason: "Every leaf is pure." } });
    expect(button("refine").getAttribute("aria-disabled")).toBe("true");
    expect(button("refine").title).toBe("Every leaf is pure.");
  });

  it("is off where it cannot be asked for, with the reason", async () => {
    const lacks = { refine: "No further step.", save: "Saved already." };
    await show({ ...fixtures.small(), lacks });
    for (const [id, reason] of Object.entries(lacks)) {
      expect(button(id).getAttribute("aria-disabled")).toBe("true");
      expect(button(id).title).toBe(reason);
    }
  });
});

describe("copying", () => {
  it("gives the rule in the wanted language and says so", async () => {
    const writeText = vi.fn(async () => {});
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText } });
    const view = fixtures.breastCancer();
    await show(view);
    await click(one('[data-rule="0"]'));
    await click(one('[data-rule="0"] [data-copy="sql"]'));
    expect(writeText).toHaveBeenCalledWith(
      view.rules[0]?.conditions.map(({ sql }) => sql).join(" AND "),
    );
    expect(one('[data-rule="0"] .imd-done').textContent).toBe("copied");
    expect(stage.model.get("selected_rules")).toEqual([0]);
    vi.unstubAllGlobals();
  });
});

describe("anywidget", () => {
  it("cleans up by signal and by return value alike", async () => {
    for (const way of ["signal", "return"]) {
      const stub = stubModel(fixtures.stateOf(fixtures.small()));
      const stop = new AbortController();
      const cleanup = widget.render({ model: stub, el: stage.el, signal: stop.signal });
      await settle();
      expect(all(".imd-root")).toHaveLength(1);
      if (way === "signal") stop.abort();
      else cleanup();
      expect(all(".imd-root")).toHaveLength(0);
      expect(stub.listeners()).toBe(0);
    }
  });

  it("draws two views of one model that keep in step and share no id", async () => {
    const stub = stubModel(fixtures.stateOf(fixtures.small()));
    const other = document.createElement("div");
    document.body.append(other);
    const stops = [stage.el, other].map((place) => widget.render({ model: stub, el: place }));
    await settle();
    await click(stage.el.querySelector<HTMLElement>('[data-or="true"]') ?? undefined);
    expect(other.querySelectorAll("[data-node].is-selected")).toHaveLength(1);
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const stop of stops) stop();
    other.remove();
  });
});
