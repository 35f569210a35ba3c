// The options that are set now, in one line.

import { percent, plural } from "../text/format";
import type { Controls } from "./controls";

/** The methods by their names in Python. */
export const METHODS = {
  calibrated: "calibrated",
  imd: "paper (imd)",
  separate: "separate",
  direct: "direct",
} as const;

/** "Method calibrated · depth 6 · sensitivity auto". */
export function optionsText({ view, options }: Pick<Controls, "view" | "options">): string {
  const { max_depth, sensitivity, tunable, given, max_rules, tolerance, relative } = options;
  // A notebook that was saved by an earlier release does not have the method.
  const { method, alpha = null } = options;
  const parts = method ? [`Method ${METHODS[method]}`] : [];
  if (method === "imd" && alpha !== null) parts.push(`alpha ${alpha}`);
  parts.push(`${method ? "depth" : "Depth"} ${max_depth}`);
  if (tunable) {
    parts.push(`sensitivity ${sensitivity === null ? "auto" : percent(sensitivity)}`);
    if (given === "auto") parts.push("given the better output");
    else if (given === "margins") parts.push("by how sure the models are");
    else if (given !== "nothing")
      parts.push(`given ${view.names[given === "m1" ? 0 : 1]}'s output`);
    if (options.scores) parts.push("with scores");
    if (options.sets) parts.push("with sets of levels");
    if (max_rules !== null) parts.push(`at most ${plural(max_rules, "rule")}`);
  }
  if (tolerance !== null) {
    const share = relative && typeof tolerance === "number";
    parts.push(`tolerance ${share ? `${Number((100 * tolerance).toPrecision(6))} %` : tolerance}`);
  }
  return parts.join(" · ");
}
