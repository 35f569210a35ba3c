// The line of Python that patches the selected rules.

import { describe, expect, it, vi } from "vitest";
import { patchLine } from "../../../js/panels/PatchButton";
import * as fixtures from "../fixtures";
import { useStage } from "../stage";
import { settle } from "../support";

const stage = useStage();
const { all, show } = stage;
const button = () => all('[data-testid="imd-patch"]')[0];

describe("patch with these", () => {
  it("names the models if they can be variables", () => {
    expect(patchLine(["old", "new_2"], [0, 2], true)).toBe(
      "patched = imd.patch(old, new_2, w.diff.rules[[0, 2]])",
    );
    expect(patchLine(["model 1", "new"], [1], false)).toBe(
      "patched = imd.patch(m1, m2, d.rules[[1]])",
    );
  });

  it("is there once a rule is selected, and copies the line", async () => {
    const writeText = vi.fn().mockResolvedValue(undefined);
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText } });
    await show(fixtures.judged());
    expect(button()).toBeUndefined();
    stage.model.receive("selected_rules", [0]);
    await settle();
    button()?.click();
    await settle();
    expect(writeText.mock.calls[0]?.[0]).toContain("w.diff.rules[[0]])");
    expect(button()?.textContent).toBe("Python copied");
    vi.unstubAllGlobals();
  });
});
