// The layout of one diff: what each part shows and does comes from the hooks in state/.

import type { ComponentChildren, RefObject } from "preact";
import type { MutableRef } from "preact/hooks";
import type { Host } from "../host/host";
import type { HostState } from "../host/store";
import { Panel } from "../panels/Panel";
import { PrintedRules } from "../panels/PrintedRules";
import { type Diff, DiffProvider } from "../state/context";
import { useAddedNodes } from "../state/useAddedNodes";
import { useFolds } from "../state/useFolds";
import { useDiffOf } from "../state/useHostDiff";
import type { KernelWork } from "../state/useKernelWork";
import { useReveal } from "../state/useReveal";
import { type Selection, useSelection } from "../state/useSelection";
import { Legend } from "../tree/Legend";
import { TreeView } from "../tree/TreeView";
import type { TreeControls } from "../tree/useCamera";
import { Headline } from "./Headline";
import { Help } from "./Help";
import { StatusLine } from "./StatusLine";
import { Toolbar } from "./Toolbar";
import { TracedRow } from "./TracedRow";

/** What the root of the widget and a diff in it share. */
export interface Frame {
  host: Host;
  state: HostState;
  work: KernelWork;
  controls: RefObject<TreeControls>;
  /** How to let go of one thing in the diff; it returns false if there is none. */
  releaseDiff: MutableRef<() => boolean>;
  release(): boolean;
  printing: boolean;
  help: boolean;
  closeHelp(): void;
  /** Downloads a page under this name. */
  onSave(name: string): void;
  /** The buttons in the upper right corner. */
  corner: ComponentChildren;
}

interface DiffFrameProps extends Frame {
  /** Whether it is below a matrix of models, which has the corner and the button that saves. */
  many?: boolean;
  /** The work that the status line tells of. */
  told?: KernelWork;
}

export function DiffFrame({ many = false, told, ...frame }: DiffFrameProps) {
  const { host, state, work, printing, help } = frame;
  const diff = useDiffOf(host, state);
  const { view } = diff;
  const selection = useSelection(diff);
  frame.releaseDiff.current = selection.release;
  return (
    <DiffProvider value={diff}>
      <div class="imd-frame">
        <div class="imd-top">
          <Headline headline={view.headline} work={work} />
          {!many && frame.corner}
        </div>
        <Toolbar
          work={work}
          onSave={many ? undefined : () => frame.onSave("diff.html")}
          onHover={selection.hoverNodes}
        />
        <StatusLine work={told ?? work} kernel={state.kernel} change={view.refinement.change} />
        <div class="imd-main">
          <div class="imd-left">
            <Tree
              diff={diff}
              selection={selection}
              controls={frame.controls}
              printing={printing}
              onClear={frame.release}
            />
            <Legend view={view} />
            {help && <Help view={view} many={many} onClose={frame.closeHelp} />}
          </div>
          <Panel selection={selection} work={work} />
          {printing && <PrintedRules />}
        </div>
      </div>
    </DiffProvider>
  );
}

interface TreeProps {
  diff: Diff;
  selection: Selection;
  controls: RefObject<TreeControls>;
  printing: boolean;
  onClear: () => void;
}

/** The tree with its folds, and the row that is followed through it. */
function Tree({ diff, selection, controls, printing, onClear }: TreeProps) {
  const { host, state, view, uid } = diff;
  const folds = useFolds(diff, selection.rules);
  const added = useAddedNodes(view);
  const reveal = useReveal(diff, selection.rules, folds, controls);
  const { lit, node, selectNode, pickRule, stopTrace } = selection;
  const pickTraced = (rule: number) => {
    host.set({ tab: "Rules" });
    pickRule(rule, false);
  };
  return (
    <TreeView
      view={view}
      uid={uid}
      down={state.orientation === "down"}
      folds={folds}
      marks={{ lit, selected: node?.id ?? "", added }}
      reveal={reveal}
      controls={controls}
      printing={printing}
      onSelect={selectNode}
      onClear={onClear}
      note={
        state.traced && (
          <TracedRow traced={state.traced} view={view} onClose={stopTrace} onPick={pickTraced} />
        )
      }
    />
  );
}
