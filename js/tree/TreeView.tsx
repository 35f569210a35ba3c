// The tree: boxes and links under a camera, and the keys, clicks and drags that act on them.

import type { ComponentChildren, RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { growsDown, isNarrow, MARGIN, type Size } from "./camera";
import type { TextSource, TreeSource } from "./content";
import { describe } from "./describe";
import { Edge } from "./Edge";
import { type Bounds, type Layout, layoutTree } from "./layout";
import { Hatches } from "./leafLabels";
import { MiniMap } from "./MiniMap";
import { createMeasure, type Measure } from "./measure";
import { Node } from "./Node";
import { TreeFooter } from "./TreeFooter";
import { LARGE, type TreeCamera, type TreeControls, useCamera } from "./useCamera";
import { useTreeKeys } from "./useTreeKeys";
import type { Box } from "./visible";
import "./TreeView.css";

/** What is drawn and how it is folded. */
export interface TreeFolds {
  root: Box | null;
  /** The number of boxes that were folded so that the first view fits. */
  autoFolded: number;
  /** Whether what does not lead to the selected rules is folded. */
  focused: boolean;
  /** Called when the room is known, and when it is quite another one; returns whether that folded anything. */
  fitInto(words: TextSource, size: Size): boolean;
  toggle(id: string): void;
  unfoldAll(): void;
}

/** Which boxes stand out. */
export interface TreeMarks {
  /** Ids on the highlighted paths; null: nothing is highlighted, so nothing is dimmed. */
  highlighted: ReadonlySet<string> | null;
  selected: string;
  /** Ids of the nodes that the last refinement added. */
  added: ReadonlySet<string>;
}

export interface TreeViewProps {
  view: TreeSource;
  uid: string;
  /** The tree grows down, not to the right. */
  down: boolean;
  folds: TreeFolds;
  marks: TreeMarks;
  /** Boxes to bring into view when this changes; with a path, as much of it as can be read. */
  reveal: { ids: readonly string[]; path: readonly string[] | null };
  controls: RefObject<TreeControls>;
  /** On paper all of the tree is drawn, as wide as the page. */
  printing: boolean;
  /** Shown below the tree in place of the hint. */
  note: ComponentChildren;
  onSelect: (id: string) => void;
  onClear: () => void;
}

/** All of the tree, with a margin. */
function viewBoxOf({ x0, y0, x1, y1 }: Bounds): string {
  return [x0 - MARGIN, y0 - MARGIN, x1 - x0 + 2 * MARGIN, y1 - y0 + 2 * MARGIN].join(" ");
}

const sourceOf = ({ names, outputs, rules, single }: TreeSource): TreeSource => ({
  names,
  outputs,
  rules,
  single,
});

const NO_BOXES: Layout["boxes"] = [];

/** How one box stands out; a pair does as its leaves do. */
function marksOf({ id, pair }: Box, { highlighted, selected, added }: TreeMarks) {
  const isHighlighted = highlighted?.has(id) ?? false;
  return {
    highlighted: isHighlighted,
    dim: highlighted !== null && !isHighlighted,
    selected: id === selected || (pair?.some((leaf) => leaf.id === selected) ?? false),
    added: added.has(id) || (pair?.some((leaf) => added.has(leaf.id)) ?? false),
  };
}

/** The width of text in the font that the element inherits from the host; null before the first draw. */
function useMeasure(element: RefObject<SVGSVGElement>): Measure | null {
  const [measure, setMeasure] = useState<Measure | null>(null);
  useLayoutEffect(() => {
    const surface = element.current;
    if (!surface) return;
    const family = getComputedStyle(surface).fontFamily;
    setMeasure(() => createMeasure(family, surface.ownerDocument));
  }, [element]);
  return measure;
}

/** Lays the tree out, once it is known what has to be folded, and shows each layout to the camera. */
function useLayout(
  props: TreeViewProps,
  camera: TreeCamera,
  words: TextSource | null,
  room: Size | null,
) {
  const { view, folds, reveal } = props;
  const down = growsDown(props.down, room);
  const { root, fitInto, toggle } = folds;
  const anchor = useRef<string | null>(null);
  const reframe = useRef(true);
  /** The room that is known to hold what is not folded. */
  const [settled, setSettled] = useState<Size | null>(null);
  // Until it is known what to fold nothing is drawn: all of a large tree would take its time.
  const ready = words !== null && (settled !== null || room === null);
  const placed = useMemo(
    () => (words && ready ? layoutTree(root, words, down) : null),
    [root, words, ready, down],
  );
  useLayoutEffect(() => {
    camera.show(placed, anchor.current, reframe.current);
    if (!placed) return;
    anchor.current = null;
    reframe.current = false;
  }, [placed, camera]);
  useLayoutEffect(() => {
    if (!words || !room || settled === room) return;
    reframe.current = fitInto(words, room) || settled !== null;
    setSettled(room);
  }, [words, room, settled, fitInto]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first layout reveals, a later one (a fold) must not pull the camera back
  useEffect(() => {
    if (!placed || reveal.ids.length === 0) return;
    if (reveal.path) camera.frame(reveal.path, reveal.ids);
    else camera.reveal(reveal.ids);
  }, [reveal, ready, camera]);
  const titles = useMemo(
    () => new Map(placed?.boxes.map(({ box }) => [box.id, describe(box, view)])),
    [placed, view],
  );
  /** Folds or unfolds a box, which stays where it is while the others move. */
  const fold = useCallback(
    (id: string) => {
      anchor.current = id;
      camera.takeOver();
      toggle(id);
    },
    [toggle, camera],
  );
  return { placed, titles, fold };
}

export function TreeView(props: TreeViewProps) {
  const { view, uid, folds, marks, reveal, controls, printing, note, onSelect, onClear } = props;
  const svg = useRef<SVGSVGElement>(null);
  const layer = useRef<SVGGElement>(null);
  const measure = useMeasure(svg);
  const { camera, room, outside, near } = useCamera(svg, layer);
  controls.current = camera;
  const narrow = isNarrow(room);
  const words = useMemo(
    () => measure && { ...sourceOf(view), measure, narrow },
    [view, measure, narrow],
  );
  const { placed, titles, fold } = useLayout(props, camera, words, room);
  const keys = useTreeKeys({ placed, layer, camera, onSelect, onFold: fold });

  const large = (placed?.boxes.length ?? 0) > LARGE;
  const isPlain = (id: string) => large && !printing && !near.has(id);
  return (
    <>
      <div class="imd-canvas">
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the tree inside it is labelled */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape clears as well, in the handler of the whole view */}
        <svg
          ref={svg}
          class="imd-svg"
          data-testid="imd-tree"
          viewBox={printing && placed ? viewBoxOf(placed.bounds) : undefined}
          onClick={(event) => {
            if (!(event.target as Element).closest("[data-node]")) onClear();
          }}
        >
          <Hatches boxes={placed?.boxes ?? NO_BOXES} uid={uid} />
          <g
            ref={layer}
            class={large ? "imd-layer is-still" : "imd-layer"}
            role="tree"
            aria-label={view.single ?? `Where ${view.names[0]} and ${view.names[1]} differ`}
            // It takes the focus of a box that is removed, for the box that gets the tab stop in its place.
            tabindex={-1}
            onFocus={(event) => event.target === layer.current && keys.focus()}
            onKeyDown={keys.onKeyDown}
          >
            {placed?.links.map((link) => (
              <Edge
                key={link.id}
                link={link}
                highlighted={marks.highlighted ? marks.highlighted.has(link.id) : null}
                plain={isPlain(link.id)}
              />
            ))}
            {placed?.boxes.map((item) => (
              <Node
                key={item.box.id}
                placed={item}
                title={titles.get(item.box.id) ?? ""}
                {...marksOf(item.box, marks)}
                current={item.box.id === keys.tabStop}
                plain={isPlain(item.box.id)}
                uid={uid}
                onSelect={onSelect}
                onFold={fold}
                onFocus={keys.setTabStop}
              />
            ))}
          </g>
        </svg>
        {placed && room && !narrow && outside.boxes > 0 && (
          <MiniMap
            layout={placed}
            canvas={room}
            focus={marks.selected ? [marks.selected] : reveal.ids}
            watch={camera.watch}
            onMove={camera.center}
          />
        )}
      </div>
      <TreeFooter
        note={note}
        outside={outside}
        autoFolded={folds.autoFolded}
        focused={folds.focused}
        onFit={camera.fit}
        onZoom={camera.zoomBy}
        onUnfold={() => {
          folds.unfoldAll();
          requestAnimationFrame(() => camera.differences(reveal.ids));
        }}
      />
    </>
  );
}
