// The layout of the whole widget: what each part shows and does comes from the hooks in state/.

import { useRef, useState } from "preact/hooks";
import type { Host } from "../host/host";
import { Panel } from "../panels/Panel";
import { PrintedRules } from "../panels/PrintedRules";
import { type Diff, DiffProvider } from "../state/context";
import { useAddedNodes } from "../state/useAddedNodes";
import { useFolds } from "../state/useFolds";
import { useFullScreen } from "../state/useFullScreen";
import { useHostDiff } from "../state/useHostDiff";
import { useKernelWork } from "../state/useKernelWork";
import { usePrinting } from "../state/usePrinting";
import { useReveal } from "../state/useReveal";
import { type Selection, useSelection } from "../state/useSelection";
import { useShortcuts } from "../state/useShortcuts";
import { useTheme } from "../state/useTheme";
import { Legend } from "../tree/Legend";
import { TreeView } from "../tree/TreeView";
import type { TreeControls } from "../tree/useCamera";
import { Corner } from "./Corner";
import { Headline } from "./Headline";
import { Help } from "./Help";
import { StatusLine } from "./StatusLine";
import { Toolbar } from "./Toolbar";
import { TracedRow } from "./TracedRow";
import "./App.css";

/** The least height of the widget, in pixels. */
const LEAST_HEIGHT = 320;

export function App({ host }: { host: Host }) {
  const diff = useHostDiff(host);
  const { state, view } = diff;
  const el = useRef<HTMLDivElement>(null);
  const controls = useRef<TreeControls>(null);
  const [help, setHelp] = useState(false);
  const work = useKernelWork(host);
  const theme = useTheme(state.theme, el);
  const selection = useSelection(diff);

  /** Lets go of one thing at a time: the help, a row, the selection. */
  const release = () => {
    setHelp(false);
    return help || selection.release();
  };
  const toggleHelp = () => setHelp(!help);
  const closeHelp = () => {
    setHelp(false);
    el.current?.querySelector<HTMLElement>('[data-testid="imd-help"]')?.focus();
  };
  const printing = usePrinting(el);
  const full = useFullScreen(el, work.say);
  const onKeyDown = useShortcuts({ el, host, controls, release, toggleHelp });

  const height = Math.max(LEAST_HEIGHT, state.height);
  return (
    <DiffProvider value={diff}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys work wherever the focus is inside the widget, and a click anywhere brings it there */}
      <div
        ref={el}
        class="imd-root"
        data-theme={printing ? "light" : theme}
        tabIndex={-1}
        style={{ "--imd-height": full.on ? "100vh" : `${height}px` }}
        onKeyDown={onKeyDown}
      >
        <div class="imd-frame">
          <div class="imd-top">
            <Headline headline={view.headline} work={work} />
            <Corner full={full} helpOpen={help} onHelp={toggleHelp} />
          </div>
          <Toolbar
            work={work}
            onSave={() => el.current && work.save(el.current)}
            onHover={selection.hoverNodes}
          />
          <StatusLine work={work} kernel={state.kernel} change={view.refinement.change} />
          <div class="imd-main">
            <div class="imd-left">
              <Tree
                diff={diff}
                selection={selection}
                controls={controls}
                printing={printing}
                onClear={release}
              />
              <Legend view={view} />
              {help && <Help view={view} onClose={closeHelp} />}
            </div>
            <Panel selection={selection} work={work} />
            {printing && <PrintedRules />}
          </div>
        </div>
      </div>
    </DiffProvider>
  );
}

interface TreeProps {
  diff: Diff;
  selection: Selection;
  controls: { current: TreeControls | null };
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
