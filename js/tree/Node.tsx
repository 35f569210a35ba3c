// One box of the tree.

import { memo } from "../ui/memo";
import { outX, type Placed } from "./layout";
import { Body, Outline } from "./shapes";
import { differs } from "./visible";
import "./Node.css";

export interface NodeProps {
  placed: Placed;
  /** All of it in words. */
  title: string;
  highlighted: boolean;
  dim: boolean;
  selected: boolean;
  added: boolean;
  /** The one box that the Tab key reaches. */
  current: boolean;
  /** Too far off or too small to read: drawn without its text. */
  plain: boolean;
  /** Prefix of the hatch patterns of this view. */
  uid: string;
  onSelect: (id: string) => void;
  onFold: (id: string) => void;
  onFocus: (id: string) => void;
}

export const Node = memo((props: NodeProps) => {
  const { placed, title, highlighted, dim, selected, added, current, plain, uid } = props;
  const { onSelect, onFold, onFocus } = props;
  const { box, content } = placed;
  const classes = ["imd-node", `is-${box.kind}`, `is-side${box.node.side}`];
  if (differs(box)) classes.push("is-differing");
  if (box.node.agreement) classes.push("is-agreeing");
  if (highlighted) classes.push("is-lit");
  if (dim) classes.push("is-dim");
  if (selected) classes.push("is-selected");
  if (added) classes.push("is-new");
  return (
    <g
      class={classes.join(" ")}
      style={{ transform: `translate(${placed.x}px, ${placed.y}px)` }}
      data-node={box.id}
      data-kind={box.kind}
      data-or={box.kind === "or" || box.kind === "pair" ? "true" : undefined}
      role="treeitem"
      tabindex={current ? 0 : -1}
      aria-level={placed.column + 1}
      aria-posinset={placed.position}
      aria-setsize={placed.siblings}
      aria-expanded={box.foldable ? !box.folded : undefined}
      aria-selected={selected}
      aria-label={edgeWord(placed) + title}
      onClick={() => onSelect(box.id)}
      onFocus={() => onFocus(box.id)}
    >
      <title>{title}</title>
      {plain ? <Outline content={content} uid={uid} /> : <Body content={content} uid={uid} />}
      {box.foldable && !plain && (
        <Chevron
          x={chevronX(placed)}
          folded={box.folded}
          onClick={(event) => {
            event.stopPropagation();
            onFold(box.id);
          }}
        />
      )}
    </g>
  );
});

function edgeWord(placed: Placed): string {
  const { edge } = placed.box.node;
  return edge === "yes" || edge === "no" ? `${edge}: ` : "";
}

function chevronX(placed: Placed): number {
  const right = outX(placed) - placed.x;
  if (placed.box.kind === "stub" || placed.box.kind === "pair") return right - 14;
  return placed.box.kind === "or" ? right + 3 : right;
}

function Chevron({
  x,
  folded,
  onClick,
}: {
  x: number;
  folded: boolean;
  onClick: (event: MouseEvent) => void;
}) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a mouse target; the tree item itself is what a keyboard reaches
    <g class="imd-chevron" style={{ transform: `translate(${x}px, 0px)` }} onClick={onClick}>
      <circle class="imd-chevron-hit" r="13" />
      <circle class="imd-chevron-disc" r="8.5" />
      <path d={folded ? "M-1.5,-3.5L2,0L-1.5,3.5" : "M1.5,-3.5L-2,0L1.5,3.5"} />
    </g>
  );
}
