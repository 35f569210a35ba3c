// The inside of a box, for each kind of content.

import { memo } from "../ui/memo";
import {
  BAND,
  BESIDE_CIRCLE,
  CIRCLE,
  COLOR_PAIR,
  type Content,
  HALF_HEIGHT,
  leafLabelsOf,
  SWATCH,
} from "./content";
import { Band, Bar } from "./leafLabels";

/** What is drawn in a box. It is apart from the box itself, whose classes change with every hover. */
export const Body = memo(({ content, uid }: { content: Content; uid: string }) => {
  if (content.kind === "split") return <Split content={content} />;
  if (content.kind === "or") return <OrCircle content={content} />;
  if (content.kind === "leaf") return <Leaf content={content} uid={uid} />;
  if (content.kind === "pair") return <Pair content={content} uid={uid} />;
  return <Stub content={content} />;
});

/** A box that is too small to read: its outline and its colours. */
export function Outline({ content, uid }: { content: Content; uid: string }) {
  const { kind, w, h } = content;
  if (kind === "or") return <circle class="imd-box" cx={CIRCLE / 2} cy="0" r={CIRCLE / 2 - 1} />;
  const leafLabels = leafLabelsOf(content);
  const width = kind === "leaf" || kind === "pair" ? content.body : w;
  const part = h / Math.max(1, leafLabels.length);
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
      {leafLabels.map((said, i) => (
        <Band key={said.side} leafLabel={said} y={-h / 2 + i * part} h={part} uid={uid} />
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
        <text key={i} class="imd-strong" x={w / 2} y={top + i * 17} text-anchor="middle">
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
      {content.summaries.map((said, i) => (
        <g
          key={i}
          style={{
            transform: `translate(${BESIDE_CIRCLE}px, ${i * 18 - content.summaries.length * 9 + 4}px)`,
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
        <text class="imd-small" x={BESIDE_CIRCLE} y={content.summaries.length * 9 + 5}>
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

function Leaf({ content, uid }: { content: Of<"leaf">; uid: string }) {
  const { body, h, leafLabel, rows, mark } = content;
  const left = BAND + 9;
  return (
    <>
      <rect class="imd-box" x="0" y={-h / 2} width={body} height={h} rx="6" />
      <Band leafLabel={leafLabel} y={-h / 2 + 1} h={h - 2} uid={uid} />
      <text class="imd-strong" x={left} y={-h / 2 + 18}>
        {leafLabel.text}
      </text>
      <text class="imd-small" x={left} y={-h / 2 + 33}>
        {rows}
      </text>
      <Bar leafLabel={leafLabel} x={left} y={h / 2 - 8} w={body - left - 10} />
      {mark && (
        <text class="imd-mark" x={body + 8} y="4">
          {mark}
        </text>
      )}
    </>
  );
}

function Pair({ content, uid }: { content: Of<"pair">; uid: string }) {
  const { body, nameWidth, leafLabels, differs: isRule, top, bottom, h } = content;
  const beside = body + 10;
  return (
    <>
      {leafLabels.map((leafLabel, i) => {
        const y = -h / 2 + i * HALF_HEIGHT;
        const name = BAND + 9;
        const label = name + nameWidth + 9;
        return (
          <g key={leafLabel.side} class={`imd-half is-side${leafLabel.side}`}>
            <path class="imd-box" d={halfPath(body, y, HALF_HEIGHT, i === 0)} />
            <Band leafLabel={leafLabel} y={y + 1} h={HALF_HEIGHT - 2} uid={uid} />
            <text class="imd-small" x={name} y={y + 16}>
              {leafLabel.name}
            </text>
            <text class="imd-strong" x={label} y={y + 16}>
              {leafLabel.text}
            </text>
            {leafLabel.doubt && (
              <text class="imd-small" x={body - 9} y={y + 16} text-anchor="end">
                {leafLabel.doubt}
              </text>
            )}
            <Bar leafLabel={leafLabel} x={label} y={y + 20} w={body - label - 9} />
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
