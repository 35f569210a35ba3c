// One tree alone: a surrogate of one model, or the tree of a learner. It has no second model and sends no messages.

import { useMemo, useRef, useState } from "preact/hooks";
import type { Model } from "../host/model";
import type { NodeView, OneNodeView, OneTreeView } from "../protocol/types";
import { USUAL } from "../state/useFittedHeight";
import { createUid } from "../state/useHostDiff";
import { useTraits } from "../state/useTraits";
import { zoomFor } from "../tree/keys";
import { Colors } from "../tree/Legend";
import { TreeView } from "../tree/TreeView";
import type { TreeControls } from "../tree/useCamera";
import { indexNodes, pathTo, wholeTree } from "../tree/visible";
import { OneNode } from "./OneNode";
import { Shell } from "./Shell";
import "./OneTree.css";

/** The node with defaults for what only the tree of a diff has. */
const asNode = (node: OneNodeView): NodeView => ({
  ...node,
  side: 0,
  position: null,
  bars: null,
  spread: null,
  differing: 0,
  rate: null,
  counts: [[], []],
  means: null,
  region: false,
  rules: [],
});

const TRAITS = ["tree", "selected_node", "folds", "theme", "orientation", "height"] as const;
const NONE: ReadonlySet<string> = new Set();
const fitInto = () => false;

const read = (model: Model) => ({
  tree: model.get("tree") as OneTreeView,
  selected: model.get("selected_node") ?? "",
  folds: model.get("folds") ?? {},
  theme: model.get("theme") ?? "auto",
  down: model.get("orientation") === "down",
  height: model.get("height") ?? USUAL,
});

export function OneTree({ model }: { model: Model }) {
  const { tree, selected, folds, theme, down, height } = useTraits(model, TRAITS, read);
  const controls = useRef<TreeControls>(null);
  const [uid] = useState(createUid);
  const { title, sentences, careful, classes, outputs } = tree;
  const index = useMemo(() => indexNodes(tree.nodes.map(asNode)), [tree]);
  const root = useMemo(() => index.root && wholeTree(index, index.root, folds), [index, folds]);
  const view = useMemo(
    () => ({ names: [title, title] as [string, string], outputs, rules: [], single: title }),
    [title, outputs],
  );
  const path = useMemo(() => (selected ? pathTo(index, selected) : []), [index, selected]);
  const reveal = useMemo(() => ({ ids: path.slice(-1), path: null }), [path]);
  const set = (name: "selected_node" | "folds", value: never) => {
    model.set(name, value);
    model.save_changes();
  };
  const select = (id: string) => set("selected_node", id as never);
  const fold = (change: Record<string, boolean>) => set("folds", change as never);
  const onKeyDown = ({ key }: KeyboardEvent) => {
    const move = zoomFor(key);
    if (key === "Escape") select("");
    else if (move?.kind === "fit") controls.current?.fit();
    else if (move) controls.current?.zoomBy(move.factor);
  };
  return (
    <Shell theme={theme} height={height} onKeyDown={onKeyDown}>
      {(printing) => (
        <div class="imd-frame">
          <header class="imd-headline is-alone" data-testid="imd-headline">
            <p class="imd-first">{title}</p>
            <p class={careful ? "imd-trust is-low" : "imd-rest"}>
              {careful && <span aria-hidden="true">⚠ </span>}
              {sentences.join(" ")}
            </p>
          </header>
          <div class="imd-main">
            <div class="imd-left">
              <TreeView
                view={view}
                uid={uid}
                down={down}
                folds={{
                  root,
                  autoFolded: 0,
                  focused: false,
                  fitInto,
                  toggle: (id) => fold({ ...folds, [id]: !folds[id] }),
                  unfoldAll: () => fold({}),
                }}
                marks={{
                  highlighted: path.length > 0 ? new Set(path) : null,
                  selected,
                  added: NONE,
                }}
                reveal={reveal}
                controls={controls}
                printing={printing}
                note={null}
                onSelect={select}
                onClear={() => select("")}
              />
              <div class="imd-legend">
                <Colors classes={classes} outputs={outputs} />
              </div>
            </div>
            <OneNode tree={tree} id={selected} onSelect={select} />
          </div>
        </div>
      )}
    </Shell>
  );
}
