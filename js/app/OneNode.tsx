// Beside one tree: conditions and prediction of the selected node, or all leaves as rules.

import type { OneNodeView, OneTreeView } from "../protocol/types";
import { count, percent, plural } from "../text/format";
import { Button, TextButton } from "../ui/Button";
import { outcomeColor } from "../ui/colors";
import { Figure } from "../ui/Figure";
import { Swatch } from "../ui/Swatch";

interface OneNodeProps {
  tree: OneTreeView;
  /** Id of the selected node; "" for none. */
  id: string;
  onSelect: (id: string) => void;
}

const Conditions = ({ conditions }: OneNodeView) => (
  <ul class="imd-chips">
    {(conditions.length > 0 ? conditions : ["all rows"]).map((text) => (
      <li key={text} class="imd-chip" title={text}>
        {text}
      </li>
    ))}
  </ul>
);

export function OneNode({ tree, id, onSelect }: OneNodeProps) {
  const node = tree.nodes.find((one) => one.id === id);
  const leaves = tree.nodes.filter(({ kind }) => kind === "leaf");
  return (
    <section class="imd-panel" aria-label="Details">
      <div class="imd-panel-head">
        <h3>
          {node
            ? node.condition
              ? `${node.condition}?`
              : "A leaf"
            : plural(leaves.length, "leaf", "leaves")}
        </h3>
        {node && <TextButton onClick={() => onSelect("")}>All leaves</TextButton>}
      </div>
      <div
        class={node ? "imd-scroll imd-node-panel" : "imd-scroll"}
        data-testid="imd-one-node"
        aria-live="polite"
      >
        {node ? (
          <Details tree={tree} node={node} />
        ) : (
          <ul class="imd-cards">
            {leaves.map((leaf) => (
              <li key={leaf.id} class="imd-card">
                <Button class="imd-row" onClick={() => onSelect(leaf.id)}>
                  <Swatch color={outcomeColor(tree.outputs, leaf)} />
                  <b>{leaf.said}</b>
                  <span class="imd-detail">{plural(leaf.rows, "row")}</span>
                </Button>
                <div class="imd-opened">
                  <Conditions {...leaf} />
                </div>
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

function Details({ tree, node }: { tree: OneTreeView; node: OneNodeView }) {
  const all = tree.nodes[0]?.rows ?? 0;
  const { what } = tree.outputs;
  return (
    <>
      <p>{node.id === "r" ? "The root:" : "Rows that meet all of these conditions:"}</p>
      <Conditions {...node} />
      <dl class="imd-figures is-three">
        <Figure
          name="prediction"
          value={node.said}
          title={`${what}, ${node.kind === "leaf" ? "predicted by the tree" : "averaged over these rows"}`}
        />
        {node.purity !== null && (
          <Figure
            name="probability"
            value={percent(node.purity)}
            share={node.purity}
            title="Probability of this class here"
          />
        )}
        <Figure name="rows" value={count(node.rows)} title="Rows that reach this node" />
        <Figure
          name="of all rows"
          value={percent(all > 0 ? node.rows / all : null)}
          share={all > 0 ? node.rows / all : null}
          title={`${count(node.rows)} of ${count(all)}`}
        />
      </dl>
      {node.condition && (
        <p>
          Split: <b>{node.condition}</b>
        </p>
      )}
    </>
  );
}
