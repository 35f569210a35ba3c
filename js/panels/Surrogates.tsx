// Surrogates of both models and of their difference: column importance and decision trees.

import { useState } from "preact/hooks";
import type { ImportanceView, TreeView, WhyView } from "../protocol/types";
import { useDiff } from "../state/context";
import { plural, rough } from "../text/format";
import { Line } from "../ui/Line";
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
  const { names } = useDiff().view;
  const [chosen, setChosen] = useState(0);
  const { key } = MEASURES[chosen] ?? MEASURES[0];
  const rows = [...importance].sort((a, b) => (b[key][2] ?? 0) - (a[key][2] ?? 0));
  const largest = Math.max(...rows.flatMap((row) => row[key])) || 1;
  return (
    <>
      <Switch choices={MEASURES} chosen={chosen} onChoose={setChosen} />
      <table class="imd-reasons is-narrow">
        <thead>
          <tr>
            <th scope="col">column</th>
            <td />
            {names.map((name, side) => (
              <th key={side} scope="col" title={name}>
                <Line dashed={side === 1} /> {name}
              </th>
            ))}
            <th scope="col">
              <i class="imd-difference" aria-hidden="true" /> difference
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              <th scope="row" title={row.column}>
                {row.column}
              </th>
              <td>
                <svg width="46" height="22" aria-hidden="true">
                  {["is-first", "is-second", "is-difference"].map((name, at) => (
                    <rect
                      key={name}
                      class={name}
                      x="1"
                      y={7 * at + 2}
                      width={(44 * (row[key][at] ?? 0)) / largest}
                      height="5"
                    />
                  ))}
                </svg>
              </td>
              {row[key].map((value, at) => (
                <td key={at}>{value < largest / 1000 ? "0" : rough(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Trees({ trees, fidelity }: { trees: TreeView[]; fidelity: WhyView["fidelity"] }) {
  const [chosen, setChosen] = useState(2);
  const tree = trees[chosen];
  if (!tree) return null;
  return (
    <>
      <Switch choices={trees} chosen={chosen} onChoose={setChosen} />
      <Trust
        fidelity={fidelity}
        technique="decision tree"
        more={` This tree (${tree.name}): RMSE ${rough(tree.rmse)} on ${plural(tree.n_aside, "holdout row")}.`}
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
