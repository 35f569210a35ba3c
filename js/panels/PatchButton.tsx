// Copies the line of Python that keeps the old model inside the selected rules. The kernel has the same as `w.patch`.

import { useEffect, useState } from "preact/hooks";
import { Button } from "../ui/Button";
import { copyText } from "../ui/clipboard";

const IDENTIFIER = /^[A-Za-z_]\w*$/;
const SHOWN_MS = 1600;

/** As it is typed in Python; the names of the models stand for variables, if they can be some. */
export function patchLine(names: readonly [string, string], rules: readonly number[]): string {
  const [old, next] = names.every((name) => IDENTIFIER.test(name)) ? names : ["m1", "m2"];
  return `patched = imd.patch(${old}, ${next}, d.rules[[${rules.join(", ")}]])`;
}

interface PatchButtonProps {
  names: readonly [string, string];
  /** Numbers of the selected rules in which the models differ. */
  rules: readonly number[];
}

export function PatchButton({ names, rules }: PatchButtonProps) {
  const [done, setDone] = useState("");
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);
  if (rules.length === 0) return null;
  const line = patchLine(names, rules);
  return (
    <Button
      data-testid="imd-patch"
      title={`Keep ${names[0]} inside the selected rules, and ${names[1]} elsewhere. Copies: ${line}. The widget w has it as w.patch.`}
      onClick={async (event) => {
        setDone((await copyText(line, event.currentTarget)) ? "Python copied" : "Copy failed");
      }}
    >
      <span role="status">{done || "Patch with these"}</span>
    </Button>
  );
}
