import { describe, expect, it, vi } from "vitest";
import { createHost, unavailableReason } from "../../../js/host/host";
import { createMemoryModel } from "../../../js/host/memoryModel";
import type { Trace } from "../../../js/protocol/types";
import { small, stateOf } from "../fixtures";
import { settle, stubModel } from "../support";

describe("host", () => {
  it("never sends back what it received", () => {
    const model = stubModel(stateOf(small()));
    const host = createHost(model);
    const seen = vi.fn();
    host.subscribe(seen);
    model.receive("selected_node", "ry");
    model.receive("selected_rules", [0]);
    model.receive("view", small());
    expect(host.state().selected_node).toBe("ry");
    expect(seen).toHaveBeenCalledTimes(3);
    expect(model.set).not.toHaveBeenCalled();
    expect(model.save_changes).not.toHaveBeenCalled();
  });

  it("writes a selection once, and not at all when it is the same", () => {
    const model = stubModel(stateOf(small()));
    const host = createHost(model);
    host.set({ selected_node: "rn", selected_rules: [0] });
    expect(model.get("selected_node")).toBe("rn");
    expect(model.get("selected_rules")).toEqual([0]);
    expect(model.save_changes).toHaveBeenCalledTimes(1);
    host.set({ selected_node: "rn", selected_rules: [0] });
    expect(model.save_changes).toHaveBeenCalledTimes(1);
  });

  it("keeps two views of one model in step", () => {
    const model = stubModel(stateOf(small()));
    const [one, two] = [createHost(model), createHost(model)];
    one.set({ selected_node: "ry" });
    expect(two.state().selected_node).toBe("ry");
  });

  it("matches answers to questions by id", async () => {
    const model = stubModel(stateOf(small()));
    const [one, two] = [createHost(model), createHost(model)];
    const first = one.ask({ kind: "refine" });
    const second = two.ask({ kind: "undo" });
    await settle();
    const [a, b] = model.sent;
    expect(a?.kind).toBe("refine");
    expect(a?.id).not.toBe(b?.id);
    model.answer({ id: b?.id ?? "", error: "nothing to undo" });
    await expect(second).rejects.toThrow("nothing to undo");
    model.answer({ id: a?.id ?? "" });
    await expect(first).resolves.toEqual({ id: a?.id });
  });

  it("tells how much is done to whoever asked, and waits for the answer", async () => {
    const model = stubModel(stateOf(small()));
    const seen = vi.fn();
    const asked = createHost(model).ask({ kind: "stability" }, undefined, seen);
    await settle();
    const id = model.sent[0]?.id ?? "";
    model.answer({ id: "another", progress: { done: 9, total: 20 } });
    model.answer({ id, progress: { done: 1, total: 20 } });
    model.answer({ id, progress: { done: 2, total: 20 } });
    expect(seen.mock.calls).toEqual([[{ done: 1, total: 20 }], [{ done: 2, total: 20 }]]);
    model.answer({ id });
    await expect(asked).resolves.toEqual({ id });
    model.answer({ id, progress: { done: 3, total: 20 } });
    expect(seen).toHaveBeenCalledTimes(2);
  });

  it("hands on what comes with an answer", async () => {
    const model = stubModel(stateOf(small()));
    const asked = createHost(model).ask({ kind: "save" });
    await settle();
    model.answer({ id: model.sent[0]?.id ?? "", page: "<p>" });
    expect((await asked).page).toBe("<p>");
  });

  it.each([
    [undefined, 1],
    [{ kernel: { status: "idle" } }, 0],
  ])("saves a trait after work where the host tells nothing: %j", async (manager, times) => {
    const model = Object.assign(stubModel(stateOf(small())), { widget_manager: manager });
    const host = createHost(model);
    const { theme } = host.state();
    const asked = host.ask({ kind: "refine" });
    await settle();
    model.answer({ id: model.sent[0]?.id ?? "" });
    await asked;
    expect(model.save_changes).toHaveBeenCalledTimes(times);
    expect(host.state().theme).toBe(theme);
    host.dispose();
  });

  it("lets go of the model", () => {
    const model = stubModel(stateOf(small()));
    const before = model.listeners();
    const host = createHost(model);
    expect(model.listeners()).toBeGreaterThan(before);
    host.dispose();
    expect(model.listeners()).toBe(before);
  });
});

describe("model without a kernel", () => {
  it("tells its listeners of a change, until they leave", () => {
    const model = createMemoryModel(stateOf(small()), () => {});
    const heard = vi.fn();
    model.on("change:selected_node", heard);
    model.set("selected_node", "ry");
    model.set("selected_node", "ry");
    expect(heard).toHaveBeenCalledTimes(1);
    model.off("change:selected_node", heard);
    model.set("selected_node", "");
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it("is asked, and tells", async () => {
    const model = createMemoryModel(stateOf(small()), ({ id }) => model.tell({ id, error: "no" }));
    const host = createHost(model);
    await expect(host.ask({ kind: "refine" })).rejects.toThrow("no");
  });
});

describe("what cannot be asked for", () => {
  const lacks = { trace: "No rows here.", refine: "No further step." };
  const traced: Trace = {
    row: 1,
    label: "1",
    nodes: ["r"],
    said: ["no", "yes"],
    surrogate: ["no", "yes"],
    rules: [0],
    differs: true,
  };

  it("is said without asking", async () => {
    const model = stubModel(stateOf({ ...small(), lacks }));
    const host = createHost(model);
    await expect(host.ask({ kind: "refine" })).rejects.toThrow("No further step.");
    expect(model.sent).toHaveLength(0);
    expect(unavailableReason(host.state(), "refine")).toBe("No further step.");
    expect(unavailableReason(host.state(), "undo")).toBeNull();
  });

  it("does not keep from letting a row go", async () => {
    const host = createHost(stubModel(stateOf({ ...small(), lacks }, { traced })));
    await expect(host.trace(2)).rejects.toThrow("No rows here.");
    await host.trace(null);
    expect(host.state().traced).toBeNull();
  });
});
