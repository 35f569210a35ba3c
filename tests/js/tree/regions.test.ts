// A subtree that is one rule as a whole: what the default method gives.

import { describe, expect, it } from "vitest";
import type { DiffView } from "../../../js/protocol/types";
import { flatten, indexNodes, visibleTree } from "../../../js/tree/visible";
import { regions } from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

/** A view in which one rule covers a whole subtree, a shared split. */
function withRegion(): { view: DiffView; top: string } {
  const view = regions();
  const top = view.nodes.find((node) => node.kind === "split" && node.region);
  if (!top) throw new Error("no split is a rule as a whole");
  return { view, top: top.id };
}

const stage = useStage();
const { show } = stage;

describe("a rule as a whole subtree", () => {
  it("is one folded mark, which the chevron opens", () => {
    const { view, top } = withRegion();
    const index = indexNodes(view.nodes);
    const boxes = (folds: Map<string, boolean>, differencesOnly = true) =>
      flatten(visibleTree(index, { differencesOnly, folds }));
    const folded = boxes(new Map()).find((box) => box.id === top);
    expect(folded).toMatchObject({ kind: "or", folded: true, foldable: true, children: [] });
    const open = boxes(new Map([[top, false]])).find((box) => box.id === top);
    expect(open).toMatchObject({ kind: "split", folded: false });
    expect(open?.children).toHaveLength(2);
    const whole = boxes(new Map(), false).find((box) => box.id === top);
    expect(whole?.kind).toBe("split");
  });

  it("says how often it is right, and lists its rule when clicked", async () => {
    const { view, top } = withRegion();
    await show(view);
    const mark = [...stage.el.querySelectorAll<HTMLElement>('[data-or="true"]')].find(
      (node) => node.dataset.node === top,
    );
    const node = view.nodes.find(({ id }) => id === top);
    const rate = Math.round((100 * (node?.differing ?? 0)) / (node?.rows ?? 1));
    expect(mark?.textContent).toMatch(new RegExp(`≠ ${rate}(\\.\\d)?\\s%`));
    mark?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    await settle();
    expect(stage.model.get("selected_node")).toBe(top);
    expect(stage.el.querySelectorAll("[data-rule]")).toHaveLength(1);
  });

  it("gives the share of its outcomes, and the next ones, where not all differing rows have them", async () => {
    const { view } = withRegion();
    const [rule] = view.rules;
    if (!rule) throw new Error("no rule");
    const pair = (one: string, two: string, share: number) => ({
      outcomes: [0, 1] as [number, number],
      said: [one, two] as [string, string],
      share,
    });
    const textOf = async (changed: Partial<typeof rule>) => {
      await stage.showOpen({ ...view, rules: [{ ...rule, ...changed }] });
      const card = stage.el.querySelector("[data-rule]");
      const text = (selector: string) =>
        card?.querySelector(selector)?.textContent?.replaceAll("\u00a0", " ");
      const pairs = [...(card?.querySelectorAll(".imd-pairs li") ?? [])].map((item) =>
        item.textContent?.replace(/\s+/g, " ").trim(),
      );
      return { title: text(".imd-outcomes"), pairs };
    };
    const [one, two] = rule.said;
    const first = { outcome_share: 0.6, title_before: "mostly", title_pairs: [0] };
    // each pair once
    const mostly = await textOf({ ...first, others: [pair("b", "a", 0.25)] });
    expect(mostly.title).toBeUndefined();
    expect(mostly.pairs).toEqual([`${one} → ${two} 60 %`, "b → a 25 %", "other pairs 15 %"]);
    const both = { outcome_share: 0.51, title_before: "", title_pairs: [0, 1] };
    const either = await textOf({ ...both, others: [pair(two, one, 0.49)] });
    expect(either.pairs).toEqual([`${one} → ${two} 51 %`, `${two} → ${one} 49 %`]);
    const all = { outcome_share: 1, others: [], title_before: "", title_pairs: [0] };
    const only = await textOf(all);
    expect(only.title).toContain(one);
    expect(only.title).not.toContain("%");
    expect(only.pairs).toEqual([]);
  });

  it("explains the box if both models mostly agree", async () => {
    const { view } = withRegion();
    const [rule] = view.rules;
    if (!rule) throw new Error("no rule");
    const changed = { ...rule, outcome_share: 1, rate: 0.3, usual: ["a", "a"] as [string, string] };
    await stage.showOpen({ ...view, rules: [changed] });
    expect(stage.el.querySelector(".imd-detail")?.textContent).toContain(
      "The box in the tree shows a, the most frequent output of both.",
    );
  });

  it("offers no copy in a language that cannot name the columns", async () => {
    const { view } = withRegion();
    const [rule] = view.rules;
    if (!rule) throw new Error("no rule");
    const conditions = rule.conditions.map((condition) => ({ ...condition, query: null }));
    await stage.showOpen({ ...view, rules: [{ ...rule, conditions }] });
    const forms = [...stage.el.querySelectorAll<HTMLElement>("[data-copy]")].map(
      (b) => b.dataset.copy,
    );
    expect(forms).toEqual(["text", "sql"]);
  });

  it("is refined as a region", async () => {
    const { view } = withRegion();
    await show(view);
    expect(view.refinement.what).toBe("region");
    expect(stage.el.querySelector('[data-testid="imd-refine"]')?.textContent).toMatch(
      new RegExp(`^Refine ${view.refinement.impure} rules?$`),
    );
  });
});
