// The details of one node: its path, its rows, the outputs of both models and its column.

import type { DiffView, NodeView } from "../protocol/types";
import { useDiff } from "../state/context";
import { count, percent, plural, rough } from "../text/format";
import { outputText, scalePosition } from "../text/outcome";
import { pathTo } from "../tree/visible";
import { Button } from "../ui/Button";
import { classColor, outcomeColor } from "../ui/colors";
import { Figure } from "../ui/Figure";
import { Line } from "../ui/Line";
import { Swatch } from "../ui/Swatch";
import { Bar, width } from "./Bar";
import { Histogram } from "./Histogram";
import type { PanelProps } from "./panelProps";
import { RuleHistograms } from "./RuleHistograms";
import "./NodePanel.css";

function descriptionOf(view: DiffView, node: NodeView): string {
  const { names, outputs } = view;
  const owner = names[node.side - 1];
  if (node.kind === "leaf")
    return node.side === 0
      ? "A leaf shared by both models."
      : `A leaf of ${owner}: ${outputText(outputs, node)}.`;
  const rule = node.region ? " The whole node is one rule." : "";
  if (node.kind === "split")
    return `${node.side === 0 ? "Split" : `Split for ${owner} only`}: “${node.condition}”.${rule}`;
  return `Below this node ${names[0]} and ${names[1]} have separate branches over the same rows.${rule}`;
}

/** Shows the selected node, or the root if none is selected. */
export function NodePanel({ selection }: PanelProps) {
  const { view, index } = useDiff();
  const { node: chosen, rules, selectNode } = selection;
  const { root } = index;
  const rule = view.rules[rules[rules.length - 1] ?? -1];
  const ofRule = (rule && index.byId.get(rule.node)) ?? null;
  const node = ofRule ?? chosen ?? root;
  if (!root || !node) return <p class="imd-empty imd-scroll">There is no tree.</p>;
  const byWeight = view.outputs.weighted ? " (by weight)" : "";
  return (
    <div class="imd-scroll imd-node-panel" data-testid="imd-node-panel">
      <p>
        {ofRule
          ? `The node of rule ${rule?.number}. `
          : chosen
            ? ""
            : "No node selected: this is the root. "}
        {descriptionOf(view, node)}
      </p>
      <Crumbs node={node} onSelect={selectNode} />
      <dl class="imd-figures is-three">
        <Figure
          name="rows"
          value={count(node.rows)}
          title="Rows used to fit that reach this node"
        />
        <Figure
          name="differ"
          value={percent(node.rate)}
          detail={`${count(node.differing)} of ${count(node.rows)}`}
          share={node.rate}
          title={`Share of the rows here on which the models differ${byWeight}`}
        />
        <Figure
          name="of all differences"
          value={percent(root.differing > 0 ? node.differing / root.differing : null)}
          detail={`${count(node.differing)} of ${count(root.differing)}`}
          share={root.differing > 0 ? node.differing / root.differing : null}
          title="Share of all differing rows used to fit that reach this node"
        />
      </dl>
      {view.outputs.kind === "class" ? (
        <div class="imd-says">
          <Tally view={view} node={node} side={0} />
          <Tally view={view} node={node} side={1} />
        </div>
      ) : (
        node.means && <Means view={view} means={node.means} />
      )}
      {node.bars && (
        <Histogram column={node.column ?? ""} condition={node.condition ?? ""} bars={node.bars} />
      )}
      {rules.length > 0 && <RuleHistograms rules={rules} />}
    </div>
  );
}

interface CrumbsProps {
  node: NodeView;
  onSelect: (id: string) => void;
}

/** The conditions from the root to a node; each links to its node. */
function Crumbs({ node, onSelect }: CrumbsProps) {
  const { view, index } = useDiff();
  const path = pathTo(index, node.id).flatMap((id) => index.byId.get(id) ?? []);
  const answer = ({ edge }: NodeView) =>
    edge === "model1" ? view.names[0] : edge === "model2" ? view.names[1] : edge;
  return (
    <nav aria-label="Path from the root">
      <ol class="imd-crumbs">
        {path.map((step, i) => {
          const next = path[i + 1];
          const text =
            step.condition ?? (step.kind === "or" ? "separate branches" : (step.said ?? "leaf"));
          return (
            <li key={step.id}>
              <Button
                class="imd-chip"
                data-crumb={step.id}
                aria-current={next ? undefined : "location"}
                title={text}
                onClick={() => onSelect(step.id)}
              >
                {text}
              </Button>
              {next && <b>{answer(next)}</b>}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function Tally({ view, node, side }: { view: DiffView; node: NodeView; side: 0 | 1 }) {
  const counts = node.counts[side];
  const others = node.rows - counts.reduce((sum, [, rows]) => sum + rows, 0);
  const name = view.names[side];
  const byWeight = view.outputs.weighted ? " by weight" : "";
  return (
    <div data-tally={side}>
      <h4>
        <Line dashed={side === 1} />
        <span title={name}>{name}</span>
      </h4>
      <ul class="imd-bars">
        {counts.map(([label, rows, share]) => (
          <Bar
            key={label}
            title={`${view.classes[label]}: ${plural(rows, "row")}, ${percent(share)}${byWeight}`}
            value={count(rows)}
            name={
              <>
                <Swatch color={classColor(view.outputs, label)} />
                <span>{view.classes[label]}</span>
              </>
            }
          >
            <i style={{ ...width(share, 1), background: classColor(view.outputs, label) }} />
          </Bar>
        ))}
      </ul>
      {others > 0 && <small>{plural(others, "row")} in other classes</small>}
    </div>
  );
}

/** Both means on the scale of the legend. */
function Means({ view, means }: { view: DiffView; means: [number, number] }) {
  const { outputs, names } = view;
  return (
    <div class="imd-means">
      <h4>Mean {outputs.what}</h4>
      {means.map((value, side) => {
        const outcome = { label: null, value };
        const at = 100 * (scalePosition(outputs, outcome) ?? 0);
        return (
          <div key={side} data-mean={side}>
            <Line dashed={side === 1} />
            <span class="imd-bar-name" title={names[side]}>
              <span>{names[side]}</span>
            </span>
            <span class="imd-track is-scale" aria-hidden="true">
              <i style={{ left: `${at}%`, background: outcomeColor(outputs, outcome) }} />
            </span>
            <b>{rough(value)}</b>
          </div>
        );
      })}
      <p>
        <span>{outputs.low_text}</span>
        <span>{outputs.high_text}</span>
      </p>
    </div>
  );
}
