// The tabs at the right. The page of rows is kept here, so that it is not lost by looking at another tab.

import { useState } from "preact/hooks";
import type { Host } from "../host/host";
import type { KernelState } from "../host/store";
import type { DiffView, Filter, NodeView, Tab, TraceView } from "../protocol/types";
import type { TreeIndex } from "../tree/visible";
import { NodePanel } from "./NodePanel";
import { FIRST_PAGE, Rows } from "./Rows";
import { Rules } from "./Rules";

const TABS: readonly Tab[] = ["Rules", "Rows", "Node"];
const TITLES = {
  Rules: "Where the models differ, and what they say there",
  Rows: "The rows of what is selected",
  Node: "What is known about the selected node",
};

export interface PanelProps {
  host: Host;
  view: DiffView;
  index: TreeIndex;
  node: NodeView | null;
  selected: readonly number[];
  traced: TraceView | null;
  uid: string;
  kernel: KernelState;
  tab: Tab;
  filter: Filter;
  onFilter: (change: Partial<Filter>) => void;
  onTab: (tab: Tab) => void;
  onPick: (rule: number, add: boolean) => void;
  onHover: (rule: number | null) => void;
  onSelect: (id: string) => void;
  onShowAll: () => void;
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ["ArrowRight", 1],
  ["ArrowLeft", -1],
  ["Home", -Infinity],
  ["End", Infinity],
]);

export function Panel(props: PanelProps) {
  const { host, view, node, selected, uid, tab, onTab } = props;
  const [page, setPage] = useState(FIRST_PAGE);

  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const step = STEPS.get(event.key);
    // with a modifier it is a key of the browser
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const last = TABS.length - 1;
    const to = TABS.indexOf(tab) + step;
    // an arrow goes round, Home and End do not
    const at = Number.isFinite(step) ? (to + TABS.length) % TABS.length : to < 0 ? 0 : last;
    onTab(TABS[at] as Tab);
    (event.currentTarget.children[at] as HTMLElement).focus();
  };

  return (
    <section class="imd-panel">
      <div class="imd-tabs" role="tablist" aria-label="Details" onKeyDown={onKeyDown}>
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${uid}-${name}`}
            data-tab={name}
            aria-selected={name === tab}
            aria-controls={`${uid}-panel`}
            tabIndex={name === tab ? 0 : -1}
            title={TITLES[name]}
            onClick={() => onTab(name)}
          >
            {name}
          </button>
        ))}
      </div>
      {/* takes the focus when something in it that had it is gone */}
      <div
        class="imd-tab"
        role="tabpanel"
        id={`${uid}-panel`}
        aria-labelledby={`${uid}-${tab}`}
        tabIndex={-1}
      >
        {tab === "Rules" && (
          <Rules
            view={view}
            node={node}
            selected={selected}
            filter={props.filter}
            onFilter={props.onFilter}
            onPick={props.onPick}
            onHover={props.onHover}
            onShowAll={props.onShowAll}
          />
        )}
        {tab === "Rows" && (
          <Rows
            host={host}
            kernel={props.kernel}
            view={view}
            node={node}
            rules={selected}
            traced={props.traced}
            page={page}
            onPage={setPage}
          />
        )}
        {tab === "Node" && (
          <NodePanel view={view} index={props.index} node={node} onSelect={props.onSelect} />
        )}
      </div>
    </section>
  );
}
