// Surrogates of both models and of their difference: column importance and decision trees.

import { useState } from "preact/hooks";
import type { ImportanceView, TreeView, WhyView } from "../protocol/types";
import { plural, rough } from "../text/format";
import { BarKey, Bars, ContributionTable } from "./ContributionTable";
import { barScale, type ContributionLine } from "./contributionLines";
import { Switch } from "./Switch";
import { Trust } from "./Trust";

const MEASURES = [
  { key: "loco", name: "LOCO", title: "Mean absolute contribution of the column, on one scale" },
  { key: "forest", name: "Forest", title: "Share of the gain of a random forest's splits" },
] as const;

export function Surrogates({ why: { importance, trees, fidelity } }: { why: WhyView }) {
  return (
    <>
      {importance && (
        <section data-testid="imd-importance">
          <h4>Column importance</h4>
          <Trust fidelity={fidelity} technique="random forest" />
          <Importance importance={importance} />
        </section>
      )}
      {trees && (
        <section data-testid="imd-trees">
          <h4>Decision tree surrogates</h4>
          <Trees trees={trees} fidelity={fidelity} />
        </section>
      )}
    </>
  );
}

function Importance({ importance }: { importance: readonly ImportanceView[] }) {
  const [chosen, setChosen] = useState(0);
  const { key } = MEASURES[chosen] ?? MEASURES[0];
  const lines = importance
    .map(({ column, [key]: [first = 0, second = 0, difference = first] }): ContributionLine => {
      return { name: column, first, second, difference, error: null, kind: "size" };
    })
    .sort((a, b) => b.difference - a.difference);
  const place = barScale(lines);
  return (
    <>
      <Switch choices={MEASURES} chosen={chosen} onChoose={setChosen} />
      <BarKey difference="difference" />
      <ContributionTable
        id="imd-importances"
        lines={lines}
        shown="all"
        mark={(line) => <Bars line={line} place={place} />}
      />
    </>
  );
}

function Trees({ trees, fidelity }: { trees: TreeView[]; fidelity: WhyView["fidelity"] }) {
  const [chosen, setChosen] = useState(trees.length - 1);
  const tree = trees[chosen];
  if (!tree) return null;
  return (
    <>
      {trees.length > 1 && <Switch choices={trees} chosen={chosen} onChoose={setChosen} />}
      <Trust
        fidelity={fidelity}
        technique="decision tree"
        more={` This tree (${tree.name}): RMSE ${rough(tree.rmse)} on ${plural(tree.n_aside, "held-out row")}.`}
      />
      <ul class="imd-outline" data-testid="imd-outline">
        <Branch tree={tree} at={0} edge="" />
      </ul>
    </>
  );
}

/** A node with its mean and rows, and what follows from it. */
function Branch({ tree, at, edge }: { tree: TreeView; at: number; edge: string }) {
  const node = tree.nodes[at];
  if (!node) return null;
  const { question, yes, no, text, rows } = node;
  return (
    <li>
      {edge && <i>{edge}: </i>}
      <b>{question ?? text}</b>{" "}
      <small>{(question ? `${text} on ` : "") + plural(rows, "row")}</small>
      {yes !== null && no !== null && (
        <ul>
          <Branch tree={tree} at={yes} edge="yes" />
          <Branch tree={tree} at={no} edge="no" />
        </ul>
      )}
    </li>
  );
}
