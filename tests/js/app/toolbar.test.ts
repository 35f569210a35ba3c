// The controls of the toolbar and of the corner.

import { describe, expect, it, vi } from "vitest";
import { targetsText } from "../../../js/app/Steps";
import type { Alternative, Request } from "../../../js/protocol/types";
import { NOT_ALLOWED } from "../../../js/state/useFullScreen";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, click, one, show, showWith } = stage;

const id = (name: string) => one(`[data-testid="imd-${name}"]`);
const field = (name: string) => id(name) as HTMLInputElement;
const lastSent = () => stage.model.sent.at(-1) as Request;
const enter = async (name: string, value: string) => {
  field(name).value = value;
  field(name).dispatchEvent(new Event("change", { bubbles: true }));
  await settle();
};
const asked = (options: object) =>
  vi.waitFor(() => expect(lastSent()).toMatchObject({ kind: "change", options }));

describe("sensitivity", () => {
  it("says its number, and auto does nothing when it is on", async () => {
    const view = fixtures.small();
    await showWith("options", view);
    const about = Math.round(20 * view.metrics.recall) * 5;
    expect(id("sensitivity-at").textContent).toBe(`≈ ${about}\u00a0%`);
    await click(id("auto"));
    await new Promise((resolve) => setTimeout(resolve, 350));
    expect(stage.model.sent).toEqual([]);
    expect(id("auto").getAttribute("aria-pressed")).toBe("true");
    stage.model.receive("view", { ...view, options: { ...view.options, sensitivity: 0.35 } });
    await settle();
    expect(id("sensitivity-at").textContent).toBe("35\u00a0%");
    await click(id("auto"));
    await asked({ sensitivity: null });
  });
});

describe("the method", () => {
  it("is chosen, and alpha is there for that of the paper alone", async () => {
    const view = fixtures.small();
    await showWith("options", view);
    expect(field("method").value).toBe("calibrated");
    expect(all('[data-testid="imd-alpha"]')).toHaveLength(0);
    await enter("method", "imd");
    await asked({ method: "imd" });
    const options = { ...view.options, method: "imd", alpha: null, tunable: false } as const;
    stage.model.receive("view", { ...view, options });
    stage.model.answer({ id: lastSent().id });
    await settle();
    await enter("alpha", "much");
    expect(field("alpha").value).toBe("");
    await enter("alpha", "0,9");
    await asked({ alpha: 0.9 });
    stage.model.receive("view", { ...view, options: { ...options, alpha: 0.9 } });
    stage.model.answer({ id: lastSent().id });
    await settle();
    expect(field("alpha").value).toBe("0.9");
    await enter("alpha", "");
    await asked({ alpha: null });
  });
});

describe("the number of rules", () => {
  it("is any, or what is typed, and takes nothing else", async () => {
    const view = fixtures.small();
    await showWith("options", view);
    expect(field("max-rules").value).toBe("");
    expect(field("max-rules").placeholder).toBe("any");
    for (const nothing of ["0", "-1", "2.5", "many"]) {
      await enter("max-rules", nothing);
      expect(field("max-rules").value).toBe("");
    }
    expect(stage.model.sent).toEqual([]);
    await enter("max-rules", "3");
    await asked({ max_rules: 3 });
    stage.model.receive("view", { ...view, options: { ...view.options, max_rules: 3 } });
    stage.model.answer({ id: lastSent().id });
    await settle();
    expect(field("max-rules").value).toBe("3");
    await enter("max-rules", "any");
    await asked({ max_rules: null });
  });

  it("is not offered by a method without it, and is off with the reason", async () => {
    const view = fixtures.small();
    await showWith("options", { ...view, lacks: { change: "Not here." } });
    expect(field("max-rules").getAttribute("aria-disabled")).toBe("true");
    expect(field("max-rules").closest("label")?.title).toBe("Not here.");
    await enter("max-rules", "3");
    await new Promise((resolve) => setTimeout(resolve, 350));
    expect(stage.model.sent).toEqual([]);
    stage.model.receive("view", { ...view, options: { ...view.options, tunable: false } });
    await settle();
    expect(all('[data-testid="imd-max-rules"]')).toHaveLength(0);
  });
});

describe("tolerance", () => {
  it("is there for values and probabilities, not for classes", async () => {
    await showWith("options", fixtures.small());
    expect(all('[data-testid="imd-tolerance"]')).toHaveLength(0);
    const view = fixtures.chances();
    stage.model.receive("view", view);
    await settle();
    expect(field("tolerance").value).toBe(String(view.options.tolerance));
    await enter("tolerance", "0,3");
    await asked({ tolerance: 0.3 });
  });

  it("may be a share, and Python says what it does not take", async () => {
    const view = fixtures.houses();
    await showWith("options", {
      ...view,
      options: { ...view.options, tolerance: 0.07, relative: true },
    });
    expect(field("tolerance").value).toBe("7 %");
    await enter("tolerance", "12 %");
    await asked({ tolerance: "12 %" });
    stage.model.answer({ id: lastSent().id, error: "tolerance='<b>x</b>': a number" });
    await settle();
    expect(id("error").textContent).toContain("tolerance='<b>x</b>'");
    expect(field("tolerance").value).toBe("7 %");
  });

  it("keeps its keys: a 0 or a minus does not move the tree", async () => {
    await showWith("options", fixtures.chances());
    const before = one(".imd-layer").style.transform;
    for (const key of ["0", "-", "?", "/"])
      field("tolerance").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    await settle();
    expect(one(".imd-layer").style.transform).toBe(before);
    expect(all(".imd-help")).toHaveLength(0);
  });
});

describe("refine", () => {
  it("says which rules, and lights their nodes under the mouse or the focus", async () => {
    const view = fixtures.regions();
    const { targets } = view.refinement;
    const numbers = view.rules
      .filter(({ nodes }) => nodes.some((node) => targets.includes(node)))
      .map(({ number }) => number);
    expect(numbers.length).toBeGreaterThan(1);
    expect(targetsText({ view })).toBe(`rules ${numbers.join(", ")}`);
    await show(view);
    expect(id("refine").title).toContain(`rules ${numbers.join(", ")}`);
    for (const [on, off] of [
      ["mouseenter", "mouseleave"],
      ["focus", "blur"],
    ] as const) {
      id("refine").dispatchEvent(new Event(on));
      await settle();
      const highlighted = all("[data-node].is-lit").map((node) => node.dataset.node ?? "");
      expect(highlighted).toContain("r");
      expect(highlighted.every((node) => targets.some((target) => target.startsWith(node)))).toBe(
        true,
      );
      id("refine").dispatchEvent(new Event(off));
      await settle();
      expect(all(".is-lit")).toHaveLength(0);
    }
    expect(stage.model.set).not.toHaveBeenCalled();
  });

  it("counts leaves by model where it splits leaves", () => {
    const view = fixtures.breastCancer();
    expect(targetsText({ view })).toMatch(/^leaves: \d+ of LR, \d+ of RF$/);
  });
});

describe("full screen", () => {
  it("is off with the reason where the page does not allow it", async () => {
    await show(fixtures.small());
    expect(id("full").title).toBe(NOT_ALLOWED);
    expect(id("full").getAttribute("aria-disabled")).toBe("true");
  });

  it("is asked for, and says why when it is refused", async () => {
    const request = vi.fn(async () => {
      throw new TypeError("no");
    });
    Object.assign(HTMLElement.prototype, { requestFullscreen: request });
    try {
      await show(fixtures.small());
      expect(id("full").title).toBe("Full screen");
      await click(id("full"));
      expect(request).toHaveBeenCalledOnce();
      expect(id("full").title).toBe(NOT_ALLOWED);
      expect(id("status").textContent).toBe(NOT_ALLOWED);
    } finally {
      Reflect.deleteProperty(HTMLElement.prototype, "requestFullscreen");
    }
  });
});

describe("alternatives", () => {
  const found: Alternative[] = [
    { name: "columns", given: "nothing", scores: false, n_rules: 4, mcc: 0.251 },
    { name: "columns and scores", given: "nothing", scores: true, n_rules: 3, mcc: -0.02 },
    { name: "given <b>RF</b>'s output", given: "m2", scores: false, n_rules: 2, mcc: null },
    { name: "given A's probability of yes", given: "margins", scores: false, n_rules: 1, mcc: 0.5 },
  ];
  const rows = () => all('[data-testid="imd-alternatives-table"] tbody tr');
  const compare = async (view = fixtures.small()) => {
    await showWith("options", view);
    await click(id("alternatives"));
    expect(lastSent()).toMatchObject({ kind: "alternatives" });
    stage.model.answer({ id: lastSent().id, alternatives: found });
    await settle();
  };

  it("are compared on demand, and one click switches to one of them", async () => {
    const view = fixtures.small();
    await compare(view);
    expect(rows().map((row) => row.textContent)).toEqual([
      "columns40.25Shown",
      "columns and scores3−0.02Show",
      "given <b>RF</b>'s output2–Show",
      "given A's probability of yes10.50Show",
    ]);
    expect(rows().map((row) => row.getAttribute("aria-current"))).toEqual([
      "true",
      "false",
      "false",
      "false",
    ]);
    expect(one(".imd-alternatives .is-best").textContent).toBe("0.50");
    expect(all('[data-testid="imd-alternatives"]')).toHaveLength(0);
    await click(id("use-nothing"));
    await click(id("use-margins"));
    await asked({ given: "margins", scores: false });
    expect(stage.model.sent.filter(({ kind }) => kind === "change")).toHaveLength(1);
    stage.model.receive("view", { ...view, options: { ...view.options, given: "margins" } });
    stage.model.answer({ id: lastSent().id });
    await settle();
    expect(rows()[3]?.getAttribute("aria-current")).toBe("true");
  });

  it("are of the other options as they were: a change of these clears them", async () => {
    const view = fixtures.small();
    await compare(view);
    expect(rows()).toHaveLength(4);
    stage.model.receive("view", { ...view, options: { ...view.options, max_depth: 2 } });
    await settle();
    expect(rows()).toHaveLength(0);
    expect(id("alternatives").textContent).toBe("Compare alternatives");
  });

  it("can be closed", async () => {
    await compare();
    await click(one(".imd-alternatives-close"));
    expect(rows()).toHaveLength(0);
    expect(all('[data-testid="imd-alternatives"]')).toHaveLength(1);
  });

  it("show their progress, and can be cancelled", async () => {
    await showWith("options", fixtures.small());
    await click(id("alternatives"));
    const { id: asking } = lastSent();
    stage.model.answer({ id: asking, progress: { done: 2, total: 5 } });
    await vi.waitFor(() =>
      expect(id("status").textContent).toContain("Comparing alternatives: fit 2 of 5"),
    );
    await click(id("cancel"));
    expect(lastSent()).toMatchObject({ kind: "cancel", of: asking });
    await settle();
    expect(rows()).toHaveLength(0);
  });

  it("are not there for other methods, equal models and pages", async () => {
    const view = fixtures.small();
    await showWith("options", { ...view, options: { ...view.options, tunable: false } });
    expect(all('[data-testid="imd-alternatives"]')).toHaveLength(0);
    stage.model.receive("view", { ...view, metrics: { ...view.metrics, n_differing: 0 } });
    await settle();
    expect(all('[data-testid="imd-alternatives"]')).toHaveLength(0);
    stage.model.receive("view", { ...view, lacks: { alternatives: "Not here." } });
    await settle();
    expect(id("alternatives").title).toBe("Not here.");
    await click(id("alternatives"));
    expect(stage.model.sent).toEqual([]);
  });
});

describe("sets of levels", () => {
  it("are off, and asked for with a click", async () => {
    const view = fixtures.small();
    await showWith("options", view);
    expect(field("sets").checked).toBe(false);
    await click(field("sets"));
    await asked({ sets: true });
    stage.model.receive("view", { ...view, options: { ...view.options, sets: true } });
    stage.model.answer({ id: lastSent().id });
    await settle();
    expect(id("options").textContent).toContain("with sets of levels");
    expect(field("sets").checked).toBe(true);
  });

  it("are not changed where no kernel runs", async () => {
    await showWith("options", { ...fixtures.small(), lacks: { change: "Not here." } });
    await click(field("sets"));
    expect(field("sets").checked).toBe(false);
    expect(stage.model.sent).toEqual([]);
  });
});
