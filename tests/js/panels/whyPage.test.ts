// The tab Why of a saved page: what the page holds, and a reason in place of what needs a kernel.

import { describe, expect, it } from "vitest";
import { createPageModel, type PageData } from "../../../js/host/pageModel";
import type { PageWhy, WhyView } from "../../../js/protocol/types";
import golden from "../../golden/page.json";
import { small, stateOf } from "../fixtures";
import { settle } from "../support";
import { CONDITIONS, CONTRIBUTIONS, traced, WITH_SURROGATES } from "./whyAnswers";
import { useWhyStage } from "./whyStage";

const { stage, all, click, id, ids, one, toggle } = useWhyStage();

const NO_MODELS = "A page holds no models.";
const REST = { interactions: NO_MODELS, map: NO_MODELS, what_if: NO_MODELS };
const WHY: WhyView = { ...WITH_SURROGATES, contributions: CONTRIBUTIONS, conditions: CONDITIONS };

async function open(why: PageWhy, fields: Partial<PageData> = {}) {
  const { view: _, ...traits } = stateOf(small());
  const steps = golden.steps.map((step) => ({ ...step, lacks: REST }));
  const data = { ...traits, ...golden, steps, why, tab: "Why", ...fields };
  stage.put(createPageModel(data as unknown as PageData));
  await settle();
}

const holds = (why: WhyView | null, error: string | null = null): PageWhy => ({
  answers: [{ rules: [], nodes: [""], why, error, row: null }],
  other: "This page explains all rows.",
});

describe("what the page holds", () => {
  it("is shown at once, with curves and surrogates to open", async () => {
    await open(holds(WHY));
    expect(id("why-sentence").textContent).toBe(CONTRIBUTIONS.sentence);
    expect(all('[data-testid="imd-conditions"] .imd-curve').length).toBe(2);
    expect(ids("contributions").length).toBe(1);
    expect(ids("precise-status")).toEqual([]);
    await toggle("curves-part");
    expect(all('[data-testid="imd-curves"] .imd-curve').length).toBe(2);
    expect(id("curves").textContent).toContain("This page holds the curves of 2 of 4 columns.");
    expect(ids("more-curves")).toEqual([]);
    await toggle("surrogates-part");
    expect(ids("importance").length).toBe(1);
    expect(ids("trees").length).toBe(1);
  });

  it("may have no surrogates, or no contributions", async () => {
    await open(holds({ ...WHY, trees: null, importance: null, contributions: null }));
    expect(ids("surrogates-part")).toEqual([]);
    expect(ids("contributions")).toEqual([]);
    expect(ids("curves-part").length).toBe(1);
  });
});

describe("what needs a kernel", () => {
  it("is not offered, and the reason is given once", async () => {
    await open(holds(WHY));
    expect(ids("pairs")).toEqual([]);
    expect(id("why-missing").textContent).toContain(NO_MODELS);
  });

  it("is a reason in place of a traced row", async () => {
    await open(holds(WHY), { traced: traced([]) });
    expect(id("why-row").textContent).toBe(`Row seven${NO_MODELS}`);
    expect(ids("editor")).toEqual([]);
    expect(ids("reasons-part")).toEqual([]);
    await toggle("curves-part");
    expect(all(".imd-error")).toEqual([]);
  });

  it("is any other selection, and nothing is tried again", async () => {
    await open(holds(null, "Too few rows."));
    expect(one(".imd-why").textContent).toBe("Too few rows.");
    await click(one('[data-tab="Rules"]'));
    await click(one("[data-rule]"));
    await click(one('[data-tab="Why"]'));
    expect(one(".imd-why").textContent).toBe("This page explains all rows.");
    expect(all(".imd-why button")).toEqual([]);
  });
});
