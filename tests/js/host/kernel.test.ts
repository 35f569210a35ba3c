// What is known of the kernel, and what that means for work that was asked for.

import { afterEach, describe, expect, it, vi } from "vitest";
import { createHost, type Host } from "../../../js/host/host";
import { APART, GONE, NONE, SILENT } from "../../../js/host/kernel";
import { CANCELLED } from "../../../js/host/requests";
import { small, stateOf } from "../fixtures";
import { useStage } from "../stage";
import { fakeKernel, settle, stubModel } from "../support";

let host: Host | null = null;
afterEach(() => {
  host?.dispose();
  host = null;
  vi.useRealTimers();
});

function hostOf(kernel: unknown, free = true) {
  const model = stubModel(stateOf(small()));
  if (kernel !== undefined) model.widget_manager = { kernel };
  model.free = free;
  host = createHost(model);
  return { model, host };
}

describe("a host that tells of its kernel", () => {
  it("knows that there is none", async () => {
    const { host } = hostOf(null);
    expect(host.state().kernel.unavailable).toBe(NONE);
    await expect(host.ask({ kind: "refine" })).rejects.toThrow(NONE);
  });

  it.each(["dead", "restarting", "autorestarting", "terminating"])(
    "takes a kernel that is %s for gone, also when it is back",
    async (status) => {
      const kernel = fakeKernel();
      const { host, model } = hostOf(kernel);
      expect(host.state().kernel.unavailable).toBeNull();
      const asked = host.ask({ kind: "refine" });
      await settle();
      expect(model.sent).toHaveLength(1);
      kernel.become(status);
      await expect(asked).rejects.toThrow(GONE);
      kernel.become("idle");
      expect(host.state().kernel.unavailable).toBe(GONE);
      await expect(host.ask({ kind: "refine" })).rejects.toThrow(GONE);
      expect(model.sent).toHaveLength(1);
    },
  );

  it("waits for a lost connection to come back", () => {
    const kernel = fakeKernel();
    const { host } = hostOf(kernel);
    kernel.connectionStatus = "connecting";
    kernel.connectionStatusChanged.emit();
    expect(host.state().kernel.unavailable).toBe(APART);
    kernel.connectionStatus = "connected";
    kernel.connectionStatusChanged.emit();
    expect(host.state().kernel.unavailable).toBeNull();
  });

  it("finds out that an idle kernel does not know the widget, and not that a busy one does not", () => {
    vi.useFakeTimers();
    const kernel = fakeKernel("busy");
    const { host, model } = hostOf(kernel, false);
    vi.advanceTimersByTime(60_000);
    expect(host.state().kernel.unavailable).toBeNull();
    kernel.become("idle");
    vi.advanceTimersByTime(10_000);
    expect(host.state().kernel.unavailable).toBe(GONE);
    expect(model.sent).toEqual([]);
  });

  it("takes it back when the answer comes after all", async () => {
    vi.useFakeTimers();
    const { host, model } = hostOf(fakeKernel("idle"), false);
    vi.advanceTimersByTime(10_000);
    expect(host.state().kernel.unavailable).toBe(GONE);
    model.become(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(host.state().kernel.unavailable).toBeNull();
  });

  it("that tells nothing is believed for a while", async () => {
    vi.useFakeTimers();
    const { host, model } = hostOf(undefined, false);
    vi.advanceTimersByTime(6_000);
    expect(host.state().kernel.unavailable).toBeNull();
    vi.advanceTimersByTime(20_000);
    expect(host.state().kernel.unavailable).toBe(SILENT);
    model.become(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(host.state().kernel.unavailable).toBeNull();
  });

  it("lets go of it", () => {
    const kernel = fakeKernel();
    const { host } = hostOf(kernel);
    expect(kernel.statusChanged.slots.size).toBe(1);
    host.dispose();
    expect(kernel.statusChanged.slots.size).toBe(0);
  });
});

describe("a busy kernel", () => {
  it("is sent nothing that could not be called back", async () => {
    const { host, model } = hostOf(undefined, false);
    const stop = new AbortController();
    const asked = host.ask({ kind: "refine" }, stop.signal);
    asked.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 350));
    expect(host.state().kernel.busy).toBe(true);
    stop.abort();
    await expect(asked).rejects.toThrow(CANCELLED);
    expect(host.state().kernel.busy).toBe(false);
    model.become(true);
    await settle();
    expect(model.sent).toEqual([]);
  });

  it("gets the work as soon as it is free", async () => {
    const { host, model } = hostOf(undefined, false);
    const asked = host.ask({ kind: "refine" });
    model.become(true);
    await settle();
    expect(model.sent.map(({ kind }) => kind)).toEqual(["refine"]);
    model.answer({ id: model.sent[0]?.id ?? "" });
    await asked;
  });
});

describe("work under way", () => {
  it("is cancelled by Python, whose answer says whether it was in time", async () => {
    const { host, model } = hostOf(fakeKernel());
    const stop = new AbortController();
    const [late, early] = [
      host.ask({ kind: "refine" }, stop.signal),
      host.ask({ kind: "undo" }, stop.signal),
    ];
    await settle();
    const [first, second] = model.sent.map(({ id }) => id) as [string, string];
    stop.abort();
    expect(model.sent.slice(2)).toEqual([
      { id: `${first}-stop`, kind: "cancel", of: first },
      { id: `${second}-stop`, kind: "cancel", of: second },
    ]);
    model.answer({ id: first });
    await expect(late).resolves.toEqual({ id: first });
    model.answer({ id: second, error: CANCELLED });
    await expect(early).rejects.toThrow(CANCELLED);
  });

  it("that is done is not cancelled", async () => {
    const { host, model } = hostOf(fakeKernel());
    const stop = new AbortController();
    const asked = host.ask({ kind: "refine" }, stop.signal);
    await settle();
    model.answer({ id: model.sent[0]?.id ?? "" });
    await asked;
    stop.abort();
    expect(model.sent).toHaveLength(1);
  });
});

describe("on the widget", () => {
  const stage = useStage();
  const { all, one, click } = stage;
  const id = (name: string) => one(`[data-testid="imd-${name}"]`);
  const refinable = () => {
    const view = small();
    return { ...view, refinement: { ...view.refinement, impure: 2, reason: null } };
  };

  it("waiting is said, and can be cancelled", async () => {
    await stage.show(refinable());
    stage.model.become(false);
    await click(id("refine"));
    await new Promise((resolve) => setTimeout(resolve, 350));
    expect(id("status").textContent).toContain("The kernel is busy");
    await click(id("cancel"));
    expect(id("status").textContent).toBe(CANCELLED);
    expect(all('[data-testid="imd-error"]')).toEqual([]);
    stage.model.become(true);
    await settle();
    expect(stage.model.sent).toEqual([]);
    expect(id("refine").getAttribute("aria-disabled")).toBe("false");
  });

  it("a kernel that is gone is said, and nothing asks it any more", async () => {
    const kernel = fakeKernel();
    stage.model = Object.assign(stubModel(stateOf(refinable())), { widget_manager: { kernel } });
    stage.put(stage.model);
    await settle();
    expect(id("refine").getAttribute("aria-disabled")).toBe("false");
    await click(id("options"));
    kernel.become("dead");
    await settle();
    expect(id("status").textContent).toContain(GONE);
    for (const name of ["refine", "undo", "save", "more"]) {
      expect(id(name).getAttribute("aria-disabled")).toBe("true");
      expect(id(name).title).toBe(GONE);
    }
    await click(one('[data-tab="Rows"]'));
    expect(id("no-rows").textContent).toContain(GONE);
    await click(one('[data-tab="Rules"]'));
    await click(one('[data-rule="0"]'));
    expect(stage.model.get("selected_rules")).toEqual([0]);
  });

  it("shows what its traits say from the start: tab, filter, folds", async () => {
    await stage.show(small(), {
      tab: "Rules",
      filters: { text: "no such text" },
      differences_only: false,
    });
    expect(one(".imd-empty").textContent).toBe("No rules match the filters.");
    expect(id("all").getAttribute("aria-pressed")).toBe("false");
    stage.model.receive("tab", "Node");
    await settle();
    expect(all('[data-testid="imd-node-panel"]')).toHaveLength(1);
  });
});
