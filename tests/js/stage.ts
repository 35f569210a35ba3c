// The widget on a page of its own for each test, and hands to reach it.

import { afterEach, beforeEach } from "vitest";
import { mount } from "../../js/entry/mount";
import type { Model } from "../../js/host/model";
import type { DiffView, WidgetState } from "../../js/protocol/types";
import { stateOf } from "./fixtures";
import { type StubModel, settle, stubModel } from "./support";

/** A fresh element before each test, taken away after it; what is shown in it and how to find it. */
export function useStage() {
  const stage = {
    el: document.createElement("div") as HTMLElement,
    model: null as unknown as StubModel,
    leave: () => {},
    /** Without a view: a matrix of models of which no pair is open. */
    async show(view: DiffView | undefined, fields: Partial<WidgetState> = {}) {
      stage.model = stubModel(stateOf(view as DiffView, fields));
      stage.put(stage.model);
      await settle();
    },
    /** With every rule selected, so that all cards are open. */
    showOpen: (view: DiffView) =>
      stage.show(view, { selected_rules: view.rules.map(({ number }) => number) }),
    /** With a part open that a button opens: "options", "outcomes", "details". */
    async showWith(part: string, view: DiffView) {
      await stage.show(view);
      await stage.click(stage.one(`[data-testid="imd-${part}"]`));
    },
    put(model: Model) {
      stage.leave = mount(model, stage.el);
    },
    all: (selector: string) => [...stage.el.querySelectorAll<HTMLElement>(selector)],
    one(selector: string) {
      const [found] = stage.all(selector);
      if (!found) throw new Error(`nothing matches ${selector}`);
      return found;
    },
    async click(element: HTMLElement | undefined, options: MouseEventInit = {}) {
      if (!element) throw new Error("nothing to click on");
      element.dispatchEvent(new MouseEvent("click", { bubbles: true, ...options }));
      await settle();
    },
  };
  beforeEach(() => {
    stage.el = document.createElement("div");
    document.body.append(stage.el);
  });
  afterEach(() => {
    stage.leave();
    stage.leave = () => {};
    stage.el.remove();
  });
  return stage;
}
