// One model, explained: its predictions in order with what imitates it, and beside them why it gives what it gives.

import { useMemo, useState } from "preact/hooks";
import type { Host } from "../host/host";
import { RankedPredictions } from "../panels/RankedPredictions";
import { WhyPanel } from "../panels/WhyPanel";
import type { DiffView, OneModelView, Trace } from "../protocol/types";
import { DiffProvider } from "../state/context";
import { USUAL } from "../state/useFittedHeight";
import { createUid, useHostState } from "../state/useHostDiff";
import type { Selection } from "../state/useSelection";
import { indexNodes } from "../tree/visible";
import { Shell } from "./Shell";
import "./OneModel.css";

const NO_NODES = indexNodes([]);
const nothing = () => {};
/** All rows that are explained: there are no rules and no nodes. */
const ALL: Selection = {
  node: null,
  rules: [],
  highlighted: null,
  selectNode: nothing,
  pickRule: nothing,
  hoverRule: nothing,
  hoverNodes: nothing,
  clear: nothing,
  stopTrace: nothing,
  dismiss: () => false,
};

export function OneModel({ host, model }: { host: Host; model: OneModelView }) {
  const own = useHostState(host);
  const [uid] = useState(createUid);
  const [panelState] = useState(() => new Map<string, unknown>());
  const [row, setRow] = useState<number | null>(null);
  const { name, title, rows, labels, lacks } = model;
  // What panels read of a diff, as far as one model has it.
  const view = useMemo(() => {
    const refinement = { prepared: rows && 0 };
    return { names: [name], lacks, refinement } as unknown as DiffView;
  }, [name, lacks, rows]);
  const label = labels[rows?.indexOf(row ?? -1) ?? -1] ?? String(row);
  const traced = row === null ? null : ({ row, label, rules: [], nodes: [] } as unknown as Trace);
  const state = { ...own, view, traced };
  return (
    <Shell
      theme={own.theme}
      height={own.height ?? USUAL}
      onKeyDown={({ key }) => key === "Escape" && setRow(null)}
    >
      {() => (
        <DiffProvider value={{ host, state, view, index: NO_NODES, uid, panelState }}>
          <div class="imd-frame">
            <header class="imd-headline is-alone" data-testid="imd-headline">
              <p class="imd-first">{title}</p>
            </header>
            <div class="imd-main">
              <div class="imd-left imd-one-model">
                <RankedPredictions model={model} row={row} onRow={setRow} />
              </div>
              <div class="imd-panel">
                <div class="imd-tab">
                  <WhyPanel selection={ALL} />
                </div>
              </div>
            </div>
          </div>
        </DiffProvider>
      )}
    </Shell>
  );
}
