import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keepKeys } from "../../../js/host/keyboard";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, click, one, show } = stage;

/** What Lumino's CommandRegistry does with a shortcut of command mode, in either phase. */
function lumino(capture: boolean): { taken: string[]; stop: () => void } {
  const taken: string[] = [];
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    let at = event.target as Element | null;
    for (; at && !at.hasAttribute("data-lm-suppress-shortcuts"); at = at.parentElement)
      if (at.matches(":focus") || at === document.body) {
        taken.push(event.key);
        if (event.key === "s") event.preventDefault();
        return;
      }
  };
  document.addEventListener("keydown", onKey, capture);
  return { taken, stop: () => document.removeEventListener("keydown", onKey, capture) };
}

function press(element: Element, key: string, options: KeyboardEventInit = {}): boolean {
  const ways = { bubbles: true, cancelable: true, composed: true };
  return element.dispatchEvent(new KeyboardEvent("keydown", { key, ...ways, ...options }));
}

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

describe.each([
  ["bubble, as in JupyterLab", false],
  ["capture, as in Notebook 7", true],
])("a notebook that listens in the phase of %s", (_, capture) => {
  let host = { taken: [] as string[], stop: () => {} };
  beforeEach(() => {
    host = lumino(capture);
  });
  afterEach(() => host.stop());

  it("gets no key from any control of any tab", async () => {
    await show(fixtures.breastCancer());
    await click(one('[data-testid="imd-help"]'));
    for (const tab of ["Rules", "Rows", "Node", "Why"]) {
      await click(one(`[data-tab="${tab}"]`));
      const found = all(FOCUSABLE);
      expect(found.length).toBeGreaterThan(20);
      for (const element of found) {
        element.focus();
        for (const key of ["d", "d", "x", "ArrowUp"]) press(document.activeElement as Element, key);
      }
    }
    expect(host.taken).toEqual([]);
  });

  it("gets no key from a control that was added to it later", async () => {
    await show(fixtures.small());
    const added = document.createElement("button");
    one(".imd-toolbar").append(added);
    added.focus();
    press(added, "d");
    expect(host.taken).toEqual([]);
  });

  it("gets a save once, and no other key with Ctrl or ⌘", async () => {
    await show(fixtures.small());
    const button = one('[data-testid="imd-all"]');
    button.focus();
    for (const key of ["a", "v", "x", "Enter", "Backspace"]) {
      press(button, key, { ctrlKey: true });
      press(button, key, { metaKey: true });
    }
    press(button, "s", { ctrlKey: true, shiftKey: true });
    press(button, "s");
    expect(host.taken).toEqual([]);
    expect(press(button, "s", { ctrlKey: true })).toBe(false);
    expect(host.taken).toEqual(["s"]);
    press(button, "s", { metaKey: true });
    expect(host.taken).toEqual(["s", "s"]);
  });

  it("has its own keys beside the widget, and when the widget is gone", async () => {
    await show(fixtures.small());
    press(document.body, "d");
    expect(host.taken).toEqual(["d"]);
    stage.leave();
    const later = stage.el.appendChild(document.createElement("button"));
    later.focus();
    press(later, "b");
    expect(host.taken).toEqual(["d", "b"]);
  });
});

describe("the focus", () => {
  let stop = () => {};
  let el: HTMLElement = document.createElement("div");
  beforeEach(() => {
    el = stage.el;
    el.innerHTML = `
      <main tabindex="-1"><p><section tabindex="-1"><button id="a"></button></section></p>
      <input id="b"></main>`;
    stop = keepKeys(el);
  });
  afterEach(() => {
    stop();
    el.replaceChildren();
  });
  const get = (selector: string) => one(selector) as HTMLButtonElement;
  const focused = () => document.activeElement;

  it("goes to what is around a control that is gone", async () => {
    get("#a").focus();
    get("#a").remove();
    await settle();
    expect(focused()).toBe(get("section"));
    get("section").remove();
    await settle();
    expect(focused()).toBe(get("main"));
  });

  it("goes to what is around a control that is disabled", async () => {
    get("#b").focus();
    get("#b").disabled = true;
    await settle();
    expect(focused()).toBe(get("main"));
  });

  it("stays with a control that is moved", async () => {
    get("#a").focus();
    const button = get("#a");
    get("main").append(button);
    await settle();
    expect(focused()).toBe(button);
  });

  it("is left alone where it was taken away on purpose", async () => {
    get("#a").focus();
    get("#a").blur();
    await settle();
    get("#b").remove();
    await settle();
    expect(focused()).toBe(document.body);
  });

  it("is not taken from what is beside the widget", async () => {
    const other = document.body.appendChild(document.createElement("button"));
    get("#a").focus();
    other.focus();
    get("#a").remove();
    await settle();
    expect(focused()).toBe(other);
    other.blur();
    get("#b").remove();
    await settle();
    expect(focused()).toBe(document.body);
    other.remove();
  });

  it("is kept in a shadow root as well", async () => {
    const outer = document.body.appendChild(document.createElement("div"));
    const inner = document.createElement("div");
    outer.attachShadow({ mode: "open" }).append(inner);
    inner.innerHTML = '<main tabindex="-1"><button></button></main>';
    const end = keepKeys(inner);
    const heard: string[] = [];
    const onKey = (event: KeyboardEvent) => heard.push(event.key);
    document.addEventListener("keydown", onKey);
    const button = inner.querySelector("button") as HTMLButtonElement;
    button.focus();
    press(button, "d");
    press(button, "s", { ctrlKey: true });
    expect(heard).toEqual(["s"]);
    button.remove();
    await settle();
    expect(outer.shadowRoot?.activeElement).toBe(inner.querySelector("main"));
    document.removeEventListener("keydown", onKey);
    end();
    outer.remove();
  });
});

describe("Escape", () => {
  it("lets go of one thing at a time, at last of the control", async () => {
    await show(fixtures.breastCancer());
    const root = one(".imd-root");
    const button = one('[data-testid="imd-all"]');
    await click(one("[data-rule]"));
    button.focus();
    press(button, "?");
    await settle();
    press(button, "Escape");
    await settle();
    expect(all(".imd-help")).toHaveLength(0);
    expect(stage.model.get("selected_rules")).toHaveLength(1);
    press(button, "Escape");
    await settle();
    expect(stage.model.get("selected_rules")).toEqual([]);
    expect(document.activeElement).toBe(button);
    press(button, "Escape");
    expect(document.activeElement).toBe(root);
  });

  it("does so in the tree", async () => {
    await show(fixtures.breastCancer());
    const box = one('[data-node][tabindex="0"]');
    box.focus();
    press(box, "Enter");
    await settle();
    expect(stage.model.get("selected_node")).not.toBe("");
    press(box, "Escape");
    await settle();
    expect(stage.model.get("selected_node")).toBe("");
    press(box, "Escape");
    expect(document.activeElement).toBe(one(".imd-root"));
  });
});

it("the help gives the focus back to its button", async () => {
  await show(fixtures.small());
  await click(one('[data-testid="imd-help"]'));
  one(".imd-help .imd-close").focus();
  await click(one(".imd-help .imd-close"));
  expect(document.activeElement).toBe(one('[data-testid="imd-help"]'));
});

it("a box of the tree that is gone leaves the focus to another one", async () => {
  await show(fixtures.breastCancer());
  const box = all("[data-node]").at(-1) as HTMLElement;
  box.focus();
  await settle();
  stage.model.receive("view", fixtures.small());
  await settle();
  expect(box.isConnected).toBe(false);
  expect(document.activeElement?.getAttribute("role")).toBe("treeitem");
});

it("a slider that is off keeps its value", async () => {
  await stage.showWith("options", { ...fixtures.small(), lacks: { change: "Not here." } });
  const slider = one('[data-testid="imd-sensitivity"]') as HTMLInputElement;
  const { value } = slider;
  slider.value = value === "0" ? "1" : "0";
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  expect(slider.value).toBe(value);
});

it("a tab does not take the browser's keys", async () => {
  await show(fixtures.small());
  const tab = one('[data-tab="Rules"]');
  expect(press(tab, "ArrowRight", { altKey: true })).toBe(true);
  await settle();
  expect(tab.getAttribute("aria-selected")).toBe("true");
});
