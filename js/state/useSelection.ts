// What is selected, traced or under the mouse, and how it changes.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Host } from "../host/host";
import type { NodeView } from "../protocol/types";
import { highlightedByRules, pathTo } from "../tree/visible";
import type { Diff } from "./context";

export interface Selection {
  node: NodeView | null;
  /** Numbers of the selected rules. */
  rules: readonly number[];
  /** Ids of the nodes on the paths of the rules or of the row; null if nothing is highlighted. */
  highlighted: ReadonlySet<string> | null;
  selectNode(id: string): void;
  /** Selects a rule alone, or adds it; a rule that is selected is let go. */
  pickRule(rule: number, add: boolean): void;
  /** Says which rule the mouse is on. */
  hoverRule(rule: number | null): void;
  /** Says which nodes a control is about that the mouse or the focus is on. */
  hoverNodes(nodes: readonly string[] | null): void;
  clear(): void;
  stopTrace(): void;
  /** Lets go of the traced row, else of the selection; returns false if there is neither. */
  dismiss(): boolean;
}

/** A rule under the mouse is highlighted for a moment, the selected rules or a traced row until they are let go. */
function useHighlight({ state, view, index }: Diff, rules: readonly number[]) {
  const [hovered, setHovered] = useState<number | null>(null);
  const [hoveredNodes, setHoveredNodes] = useState<readonly string[] | null>(null);
  const { traced, tab, filters, selected_node } = state;
  const highlighted = useMemo(() => {
    if (hoveredNodes) return new Set(hoveredNodes.flatMap((id) => pathTo(index, id)));
    if (traced && hovered === null) return new Set(traced.nodes);
    return highlightedByRules(index, view, hovered === null ? rules : [...rules, hovered]);
  }, [index, view, rules, hovered, hoveredNodes, traced]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a card that one of these changes removes gets no event when the mouse leaves it
  useEffect(() => {
    setHovered(null);
    setHoveredNodes(null);
  }, [view, tab, filters, selected_node]);
  return { highlighted, setHovered, setHoveredNodes };
}

function actionsOn(host: Host) {
  const stopTrace = () => {
    host.trace(null);
  };
  const clear = () => host.set({ selected_node: "", selected_rules: [] });
  return {
    stopTrace,
    clear,
    selectNode(id: string) {
      stopTrace();
      host.set({ selected_node: id, selected_rules: [] });
    },
    pickRule(number: number, add: boolean) {
      const now = host.state().selected_rules;
      const has = now.includes(number);
      const kept = add ? now.filter((other) => other !== number) : [];
      stopTrace();
      host.set({ selected_rules: has && (add || now.length === 1) ? kept : [...kept, number] });
    },
    dismiss() {
      const { traced, selected_node, selected_rules } = host.state();
      const selected = selected_node !== "" || selected_rules.length > 0;
      if (traced) stopTrace();
      else if (selected) clear();
      return traced !== null || selected;
    },
  };
}

export function useSelection(diff: Diff): Selection {
  const { host, state, view, index } = diff;
  // What a refinement removed is not shown as selected; it is for Python to change the traits.
  const node = index.byId.get(state.selected_node) ?? null;
  const rules = useMemo(
    () => state.selected_rules.filter((number) => view.rules[number] !== undefined),
    [state.selected_rules, view],
  );
  const { highlighted, setHovered, setHoveredNodes } = useHighlight(diff, rules);
  const actions = useMemo(() => actionsOn(host), [host]);
  return {
    node,
    rules,
    highlighted,
    hoverRule: setHovered,
    hoverNodes: setHoveredNodes,
    ...actions,
  };
}
