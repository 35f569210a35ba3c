// The layout of one diff: what each part shows and does comes from the hooks in state/.

import { useEffect, useRef } from "preact/hooks";
import { unavailableReason } from "../host/host";
import { Panel } from "../panels/Panel";
import { PrintedRules } from "../panels/PrintedRules";
import { type Diff, DiffProvider, useWidget } from "../state/context";
import { useAddedNodes } from "../state/useAddedNodes";
import { useFolds } from "../state/useFolds";
import { type Growth, useGrowth } from "../state/useGrowth";
import { useDiffOf } from "../state/useHostDiff";
import type { KernelWork } from "../state/useKernelWork";
import { useReveal } from "../state/useReveal";
import { type Selection, useSelection } from "../state/useSelection";
import { Legend } from "../tree/Legend";
import { TreeView } from "../tree/TreeView";
import { GrowthPlayer } from "./GrowthPlayer";
import { Headline } from "./Headline";
import { HeightHandle } from "./HeightHandle";
import { Help } from "./Help";
import { StatusLine } from "./StatusLine";
import { Toolbar } from "./Toolbar";
import { TracedRow } from "./TracedRow";

interface DiffFrameProps {
  /** Whether it is below a matrix of models, which has the corner and the button that saves. */
  many?: boolean;
  /** The work that the status line reports, if not all of it. */
  statusWork?: KernelWork;
}

export function DiffFrame({ many = false, statusWork }: DiffFrameProps) {
  const widget = useWidget();
  const { host, state, work, printing } = widget;
  const diff = useDiffOf(host, state);
  const { view } = diff;
  const selection = useSelection(diff);
  const { growth, start } = useGrowth(diff);
  useGoneRules(diff, work);
  widget.dismissInDiff.current = () => {
    growth?.stop();
    return growth !== null || selection.dismiss();
  };
  return (
    <DiffProvider value={diff}>
      <div class="imd-frame">
        <div class="imd-top is-diff">
          <Headline headline={view.headline} />
          {!many && widget.corner}
        </div>
        <Toolbar
          onSave={many ? undefined : () => widget.onSave("diff.html")}
          onHover={selection.hoverNodes}
          onGrow={start}
        />
        <StatusLine
          work={statusWork ?? work}
          kernel={state.kernel}
          change={view.refinement.change}
        />
        <div class="imd-main">
          <div class="imd-left">
            <Tree diff={diff} selection={selection} growth={growth} />
            <Legend view={view} />
            {widget.help && <Help view={view} many={many} />}
          </div>
          <Panel selection={selection} />
          {printing && <PrintedRules />}
        </div>
        <HeightHandle height={widget.height} />
      </div>
    </DiffProvider>
  );
}

/** Says so where another tree has no rule that takes the place of the selected ones. */
function useGoneRules({ view, state }: Diff, { notify }: KernelWork) {
  const { selected_rules: selected } = state;
  const before = useRef({ view, selected });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `notify` does the same at each draw
  useEffect(() => {
    const last = before.current;
    before.current = { view, selected };
    if (last.view !== view && last.selected.length > 0 && selected.length === 0)
      notify("The selected rule is gone: no rule here has rows in common with it.");
  }, [view, selected]);
}

interface TreeProps {
  diff: Diff;
  selection: Selection;
  growth: Growth | null;
}

/** The tree with its folds, and below it the traced row, or the player while it grows. */
function Tree({ diff, selection, growth }: TreeProps) {
  const { controls, printing, dismiss, fitHeight } = useWidget();
  const { host, state, view, uid } = diff;
  const folds = useFolds(diff, selection.rules, fitHeight);
  const added = useAddedNodes(view);
  const reveal = useReveal(diff, selection.rules, folds, controls);
  const { highlighted, node, selectNode, pickRule, stopTrace } = selection;
  const explains = state.tab !== "Why" && unavailableReason(state, "what_if") === null;
  const present = growth?.steps[growth.at]?.node;
  const pickTraced = (rule: number) => {
    host.set({ tab: "Rules" });
    pickRule(rule, false);
  };
  return (
    <TreeView
      view={view}
      uid={uid}
      down={folds.down}
      folds={{ ...folds, ...growth?.folds }}
      marks={
        present
          ? { highlighted: null, selected: present, added }
          : { highlighted, selected: node?.id ?? "", added }
      }
      reveal={growth?.reveal ?? reveal}
      controls={controls}
      printing={printing}
      onSelect={selectNode}
      onClear={dismiss}
      note={
        (growth && <GrowthPlayer growth={growth} names={view.names} />) ??
        (state.traced && (
          <TracedRow
            traced={state.traced}
            view={view}
            onClose={stopTrace}
            onPick={pickTraced}
            onWhy={explains ? () => host.set({ tab: "Why" }) : null}
          />
        ))
      }
    />
  );
}
