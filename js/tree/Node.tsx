// One box of the tree.

import { memo } from "../ui/memo";
import {
  BAND,
  BESIDE_CIRCLE,
  CIRCLE,
  COLOR_PAIR,
  type Content,
  HALF_HEIGHT,
  SWATCH,
  type Verdict,
  verdictsOf,
} from "./content";
import { outX, type Placed } from "./layout";
import { differs } from "./visible";

export interface NodeProps {
  placed: Placed;
  /** All of it in words. */
  title: string;
  lit: boolean;
  dim: boolean;
  selected: boolean;
  fresh: boolean;
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

/** Width of the mark that stands for a number. */
const PLACE = 5;

export const Node = memo((props: NodeProps) => {
  const { placed, title, lit, dim, selected, fresh, current, plain, uid } = props;
  const { onSelect, onFold, onFocus } = props;
  const { box, content } = placed;
  const classes = ["imd-node", `is-${box.kind}`, `is-side${box.node.side}`];
  if (differs(box)) classes.push("is-differing");
  if (lit) classes.push("is-lit");
  if (dim) classes.push("is-dim");
  if (selected) classes.push("is-selected");
  if (fresh) classes.push("is-new");
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
      {plain ? <Shape content={content} uid={uid} /> : <Body content={content} uid={uid} />}
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

/** Apart from its box, whose classes change with every hover. */
const Body = memo(({ content, uid }: { content: Content; uid: string }) => {
  if (content.kind === "split") return <Split content={content} />;
  if (content.kind === "or") return <OrCircle content={content} />;
  if (content.kind === "leaf") return <Leaf content={content} uid={uid} />;
  if (content.kind === "pair") return <Pair content={content} uid={uid} />;
  return <Stub content={content} />;
});

function Shape({ content, uid }: { content: Content; uid: string }) {
  const { kind, w, h } = content;
  if (kind === "or") return <circle class="imd-box" cx={CIRCLE / 2} cy="0" r={CIRCLE / 2 - 1} />;
  const verdicts = verdictsOf(content);
  const width = kind === "leaf" || kind === "pair" ? content.body : w;
  const part = h / Math.max(1, verdicts.length);
  return (
    <>
      <rect
        class="imd-box"
        x="0"
        y={-h / 2}
        width={width}
        height={h}
        rx={kind === "split" ? 22 : 6}
      />
      {verdicts.map((said, i) => (
        <Band key={said.side} verdict={said} y={-h / 2 + i * part} h={part} uid={uid} />
      ))}
    </>
  );
}

type Of<K extends Content["kind"]> = Extract<Content, { kind: K }>;

function Split({ content }: { content: Of<"split"> }) {
  const { w, h, lines, note, pairs } = content;
  const top = -h / 2 + 20;
  const below = top + lines.length * 17;
  return (
    <>
      <rect class="imd-box" x="0" y={-h / 2} width={w} height={h} rx={Math.min(22, h / 2)} />
      {lines.map((line, i) => (
        <text key={line} class="imd-strong" x={w / 2} y={top + i * 17} text-anchor="middle">
          {line}
        </text>
      ))}
      {pairs.length === 0 ? (
        <text class="imd-small" x={w / 2} y={below} text-anchor="middle">
          {note}
        </text>
      ) : (
        <g style={{ transform: `translate(12px, ${below}px)` }}>
          {pairs.map((colors, i) => (
            <g key={i} style={{ transform: `translate(${i * COLOR_PAIR}px, 0)` }}>
              <Dot color={colors[0]} x={0} />
              <text class="imd-small" x={13.8}>
                ≠
              </text>
              <Dot color={colors[1]} x={26.5} />
            </g>
          ))}
          <text class="imd-small" x={pairs.length * COLOR_PAIR}>
            {note}
          </text>
        </g>
      )}
    </>
  );
}

function OrCircle({ content }: { content: Of<"or"> }) {
  const r = CIRCLE / 2;
  return (
    <>
      <rect class="imd-hit" x="0" y={-content.h / 2} width={content.w} height={content.h} />
      <circle class="imd-box" cx={r} cy="0" r={r - 1} />
      <text class="imd-strong" x={r - 1} y="-1" text-anchor="middle">
        {content.number}
      </text>
      <text class="imd-small" x={r - 1} y="12" text-anchor="middle">
        differ
      </text>
      {content.sayings.map((said, i) => (
        <g
          key={i}
          style={{
            transform: `translate(${BESIDE_CIRCLE}px, ${i * 18 - content.sayings.length * 9 + 4}px)`,
          }}
        >
          <Dot color={said.colors[0]} x={0} />
          <text class="imd-strong" x={SWATCH}>
            {said.texts[0]}
          </text>
          <text class="imd-strong" x={said.signX}>
            ≠
          </text>
          <Dot color={said.colors[1]} x={said.secondX - SWATCH} />
          <text class="imd-strong" x={said.secondX}>
            {said.texts[1]}
          </text>
        </g>
      ))}
      {content.note && (
        <text class="imd-small" x={BESIDE_CIRCLE} y={content.sayings.length * 9 + 5}>
          {content.note}
        </text>
      )}
    </>
  );
}

function Dot({ color, x }: { color: string; x: number }) {
  const style = { fill: color };
  return <rect class="imd-dot" x={x} y="-10" width="11" height="11" rx="3" style={style} />;
}

function Stub({ content }: { content: Of<"stub"> }) {
  const { w, h, lines } = content;
  return (
    <>
      <rect class="imd-box" x="0" y={-h / 2} width={w} height={h} rx="8" />
      {lines.map((line, i) => (
        <text key={line} class="imd-small" x="10" y={-h / 2 + 18 + i * 16}>
          {line}
        </text>
      ))}
    </>
  );
}

/** Colour at the left edge: full for a pure leaf, hatched for an impure one. */
function Band({ verdict, y, h, uid }: { verdict: Verdict; y: number; h: number; uid: string }) {
  const { color, doubt } = verdict;
  const fill = doubt === null ? color : `url(#${hatchId(uid, color)})`;
  return <rect class="imd-band" x="1" y={y} width={BAND} height={h} style={{ fill }} />;
}

/** Of a class: filled as far as it is true. Of a number: a mark at its place between low and high. */
function Bar({ verdict, x, y, w }: { verdict: Verdict; x: number; y: number; w: number }) {
  const { kind, at } = verdict.bar;
  const style = { fill: verdict.color };
  return (
    <>
      <rect class="imd-bar-rest" x={x} y={y} width={w} height="3" rx="1.5" />
      {kind === "share" ? (
        <rect class="imd-bar" x={x} y={y} width={w * at} height="3" rx="1.5" style={style} />
      ) : (
        <rect
          class="imd-place"
          x={x + (w - PLACE) * at}
          y={y - 2}
          width={PLACE}
          height="7"
          rx="2"
          style={style}
        />
      )}
    </>
  );
}

/** One for a colour: whoever is hatched in it shares the pattern. */
export function hatchId(uid: string, color: string): string {
  return `${uid}-hatch-${color.slice(1)}`;
}

/** The patterns of what is drawn hatched, and no others: a diff may have hundreds of classes. */
export const Hatches = memo(({ boxes, uid }: { boxes: readonly Placed[]; uid: string }) => {
  const hatched = boxes.flatMap(({ content }) =>
    verdictsOf(content).filter(({ doubt }) => doubt !== null),
  );
  return (
    <defs>
      {[...new Set(hatched.map(({ color }) => color))].map((color) => (
        <pattern
          key={color}
          id={hatchId(uid, color)}
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="5" height="5" class="imd-hatch-ground" />
          <rect width="3" height="5" style={{ fill: color }} />
        </pattern>
      ))}
    </defs>
  );
});

function Leaf({ content, uid }: { content: Of<"leaf">; uid: string }) {
  const { body, h, verdict, rows, mark } = content;
  const left = BAND + 9;
  return (
    <>
      <rect class="imd-box" x="0" y={-h / 2} width={body} height={h} rx="6" />
      <Band verdict={verdict} y={-h / 2 + 1} h={h - 2} uid={uid} />
      <text class="imd-strong" x={left} y={-h / 2 + 18}>
        {verdict.text}
      </text>
      <text class="imd-small" x={left} y={-h / 2 + 33}>
        {rows}
      </text>
      <Bar verdict={verdict} x={left} y={h / 2 - 8} w={body - left - 10} />
      {mark && (
        <text class="imd-mark" x={body + 8} y="4">
          {mark}
        </text>
      )}
    </>
  );
}

function Pair({ content, uid }: { content: Of<"pair">; uid: string }) {
  const { body, nameWidth, verdicts, differs: isRule, top, bottom, h } = content;
  const beside = body + 10;
  return (
    <>
      {verdicts.map((verdict, i) => {
        const y = -h / 2 + i * HALF_HEIGHT;
        const name = BAND + 9;
        const label = name + nameWidth + 9;
        return (
          <g key={verdict.side} class={`imd-half is-side${verdict.side}`}>
            <path class="imd-box" d={halfPath(body, y, HALF_HEIGHT, i === 0)} />
            <Band verdict={verdict} y={y + 1} h={HALF_HEIGHT - 2} uid={uid} />
            <text class="imd-small" x={name} y={y + 16}>
              {verdict.name}
            </text>
            <text class="imd-strong" x={label} y={y + 16}>
              {verdict.text}
            </text>
            {verdict.doubt && (
              <text class="imd-small" x={body - 9} y={y + 16} text-anchor="end">
                {verdict.doubt}
              </text>
            )}
            <Bar verdict={verdict} x={label} y={y + 20} w={body - label - 9} />
          </g>
        );
      })}
      {isRule ? (
        <g class="imd-badge">
          <rect x={beside - 1} y={-h / 2 + 3} width={content.badge} height="21" rx="10.5" />
          <text x={beside + 7} y={-h / 2 + 18}>
            {top}
          </text>
        </g>
      ) : (
        <text class="imd-small" x={beside} y={-h / 2 + 17}>
          {top}
        </text>
      )}
      <text class="imd-small" x={beside} y={h / 2 - 8}>
        {bottom}
      </text>
    </>
  );
}

/** Open at the seam, so that one solid and one dashed outline make one box. */
function halfPath(w: number, y: number, h: number, upper: boolean): string {
  const r = 6;
  return upper
    ? `M0,${y + h}L0,${y + r}Q0,${y} ${r},${y}L${w - r},${y}Q${w},${y} ${w},${y + r}L${w},${y + h}Z`
    : `M0,${y}L${w},${y}L${w},${y + h - r}Q${w},${y + h} ${w - r},${y + h}L${r},${y + h}Q0,${y + h} 0,${y + h - r}Z`;
}
