// The next thing to try, and what is printed.

import { describe, expect, it, vi } from "vitest";
import { splitAdvice } from "../../../js/app/Advice";
import type { Change, DiffView, Request } from "../../../js/protocol/types";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, click, one, show } = stage;
const lastSent = () => stage.model.sent.at(-1) as Request;

const advised = (advice: Change[], texts: string[]): DiffView => {
  const view = fixtures.small();
  const sentences = [...view.headline.sentences, ...texts];
  return { ...view, headline: { ...view.headline, sentences, advice, tone: "weak" } };
};

describe("a suggestion", () => {
  it("is the last sentence, with a button that applies it", async () => {
    const text = "Conditioning on <b>RF</b>'s output would explain more.";
    const view = advised([{ given: "m2" }], [text]);
    expect(splitAdvice(view.headline).sentences).toEqual(fixtures.small().headline.sentences);
    await show(view);
    const lines = all('[data-testid="imd-headline"] p');
    expect(lines.at(-1)?.textContent).toBe(`${text} Try it`);
    expect(lines.at(-1)?.querySelector("b")).toBeNull();
    await click(one('[data-testid="imd-advice"]'));
    await vi.waitFor(() =>
      expect(lastSent()).toMatchObject({ kind: "change", options: { given: "m2" } }),
    );
  });

  it("is a tolerance, or has no button where the models would have to be called", async () => {
    await show(advised([{ tolerance: 0.2 }, {}], ["A tolerance of 0.2.", "Probabilities."]));
    expect(all('[data-testid="imd-advice"]').map((b) => b.textContent)).toEqual(["Use 0.2"]);
    // the others come with all figures
    expect(all(".imd-advice")).toHaveLength(1);
    await click(one('[data-testid="imd-details"]'));
    expect(all(".imd-advice")).toHaveLength(2);
    expect(all('[data-testid="imd-advice"]')).toHaveLength(1);
    await click(one('[data-testid="imd-advice"]'));
    await vi.waitFor(() => expect(lastSent()).toMatchObject({ options: { tolerance: 0.2 } }));
    await show({ ...advised([{ given: "m1" }], ["x"]), lacks: { change: "Not here." } });
    expect(one('[data-testid="imd-advice"]').title).toBe("Not here.");
    const { refinement } = fixtures.small();
    const page = {
      ...advised([{ given: "m1" }], ["x"]),
      refinement: { ...refinement, prepared: 0 },
    };
    await show({ ...page, lacks: { change: "Not here." } });
    expect(all(".imd-advice")).toHaveLength(1);
    expect(all('[data-testid="imd-advice"]')).toHaveLength(0);
  });

  it("is not there where nothing is advised", async () => {
    await show(fixtures.small());
    expect(all(".imd-advice")).toHaveLength(0);
  });
});

describe("on paper", () => {
  it("every rule is drawn, whatever is listed, and the whole tree", async () => {
    const view = fixtures.big();
    await show(view, { filters: { text: "nothing like it" }, tab: "Node" });
    expect(all("[data-rule]")).toHaveLength(0);
    window.dispatchEvent(new Event("beforeprint"));
    // no timer: the browser lays out the paper when its event has been handled
    await Promise.resolve();
    await Promise.resolve();
    expect(all("[data-testid=imd-printed] [data-rule]")).toHaveLength(view.rules.length);
    expect(one('[data-testid="imd-tree"]').getAttribute("viewBox")).toMatch(/^-?[\d.]+ /);
    window.dispatchEvent(new Event("afterprint"));
    await settle();
    expect(all("[data-testid=imd-printed]")).toHaveLength(0);
    expect(one('[data-testid="imd-tree"]').hasAttribute("viewBox")).toBe(false);
  });

  it("rules of agreement are open too, and the paper is light", async () => {
    await show(fixtures.mostlyDifferent(), { theme: "dark" });
    window.dispatchEvent(new Event("beforeprint"));
    await settle();
    const printed = all("[data-testid=imd-printed] [data-rule]").map((card) => card.dataset.rule);
    expect(printed).toEqual(["0", "1", "2"]);
    expect(one(".imd-root").dataset.theme).toBe("light");
    window.dispatchEvent(new Event("afterprint"));
    await settle();
    expect(one(".imd-root").dataset.theme).toBe("dark");
  });
});
