// Copies the line of Python that keeps the old model inside the selected rules. The kernel has the same as `w.patch`.

import { useEffect, useState } from "preact/hooks";
import { Button } from "../ui/Button";
import { copyText } from "../ui/clipboard";

const IDENTIFIER = /^[A-Za-z_]\w*$/;
const SHOWN_MS = 1600;

/** As it is typed in Python; the names of the models stand for variables, if they can be some. */
export function patchLine(
  names: readonly [string, string],
  rules: readonly number[],
  live: boolean,
): string {
  const [old, next] = names.every((name) => IDENTIFIER.test(name)) ? names : ["m1", "m2"];
  // What a widget shows may have been refined since it was made.
  const diff = live ? "w.diff" : "d";
  return `patched = imd.patch(${old}, ${next}, ${diff}.rules[[${rules.join(", ")}]])`;
}

interface PatchButtonProps {
  names: readonly [string, string];
  /** Numbers of the selected rules in which the models differ. */
  rules: readonly number[];
  /** Whether a kernel has the widget. */
  live: boolean;
}

export function PatchButton({ names, rules, live }: PatchButtonProps) {
  const [done, setDone] = useState("");
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);
  if (rules.length === 0) return null;
  const line = patchLine(names, rules, live);
  const again = live ? " w is the widget, and w.patch is this model." : " d is the diff.";
  return (
    <Button
      data-testid="imd-patch"
      title={`Keep ${names[0]} inside the selected rules, and ${names[1]} elsewhere. Copies: ${line}.${again}`}
      onClick={async (event) => {
        setDone((await copyText(line, event.currentTarget)) ? "Python copied" : "Copy failed");
      }}
    >
      <span role="status">{done || "Patch with these"}</span>
    </Button>
  );
}
