import { describe, expect, it, vi } from "vitest";
import { select } from "../../js/tree/one-element";

const hit = (target: EventTarget, type: string) => target.dispatchEvent(new Event(type));

describe("the stand-in for d3-selection", () => {
  it("hears by type and name, replaces, and lets go by either", () => {
    const target = new EventTarget();
    const [first, second, other] = [vi.fn(), vi.fn(), vi.fn()];
    const one = select(target).on("down.zoom", first).on("down.drag", other);
    one.on("down.zoom", second).on("up.zoom", second);
    expect(one.on("down.zoom")).toBe(second);
    hit(target, "down");
    expect([first, second, other].map((heard) => heard.mock.calls.length)).toEqual([0, 1, 1]);
    expect(second.mock.contexts[0]).toBe(target);
    // another selection of the same element knows the listeners too
    select(target).on(".zoom", null);
    hit(target, "down");
    hit(target, "up");
    expect([first, second, other].map((heard) => heard.mock.calls.length)).toEqual([0, 1, 2]);
    one.on("down.drag up.drag", other).on("down.drag up.drag", null);
    hit(target, "down");
    expect(other).toHaveBeenCalledTimes(2);
    expect(one.on("down.drag")).toBeUndefined();
  });

  it("does nothing for an element that was filtered out", () => {
    const target = new EventTarget();
    const heard = vi.fn();
    const none = select(target).filter(() => false);
    none.on("down.zoom", heard).property("held", () => 1);
    hit(target, "down");
    expect(heard).not.toHaveBeenCalled();
    expect("held" in target).toBe(false);
    expect(select(target).filter(() => true).target).toBe(target);
  });
});
