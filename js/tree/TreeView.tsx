// The tree: boxes and links under a camera, and the keys, clicks and drags that act on them.

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DiffView } from "../protocol/types";
import { memo } from "../ui/memo";
import {
  type Camera,
  fitCamera,
  homeCamera,
  legible,
  outsideView,
  revealCamera,
  type Size,
} from "./camera";
import { describe, type Words } from "./content";
import { moveFor } from "./keys";
import { type Layout, type Link, layoutTree, type Placed } from "./layout";
import { createMeasure, type Measure } from "./measure";
import { Hatches, Node } from "./Node";
import { Hint, Zoom } from "./TreeFooter";
import type { Box } from "./visible";
import { createZoom, type ZoomControl } from "./zoom";

/** What others may ask of the tree. */
export interface TreeControls {
  fit(): void;
  home(): void;
  zoomBy(factor: number): void;
}

export interface TreeViewProps {
  view: DiffView;
  root: Box | null;
  /** Ids on the lit paths; null: nothing is lit, nothing is dimmed. */
  lit: ReadonlySet<string> | null;
  /** Boxes to bring into view when this changes. */
  reveal: readonly string[];
  selected: string;
  fresh: ReadonlySet<string>;
  uid: string;
  controls: { current: TreeControls | null };
  /** Differences that were folded to make the first view fit. */
  tucked: number;
  /** Said below the tree, in place of what lies outside. */
  note: ComponentChildren;
  /** The tree grows down, not to the right. */
  down: boolean;
  /** Told once, when it is known how much room there is; true when the tree is another one after that. */
  onRoom: (words: Words, size: Size) => boolean;
  onUnfold: () => void;
  onSelect: (id: string) => void;
  onFold: (id: string) => void;
  onClear: () => void;
}

/** For hosts that cannot measure: about the tree's share of a notebook cell. */
const GUESS: Size = { width: 720, height: 420 };

/** With more boxes than this nobody can follow their movement, and the browser is slow to lay out their text. */
const LARGE = 150;
const NO_BOXES: Layout["boxes"] = [];
const NOBODY: ReadonlySet<string> = new Set();

export function TreeView(props: TreeViewProps) {
  const { view, root, lit, reveal, selected, fresh, uid, controls } = props;
  const { tucked, note, down, onRoom, onUnfold, onSelect, onFold, onClear } = props;
  const svg = useRef<SVGSVGElement>(null);
  const layer = useRef<SVGGElement>(null);
  const zoom = useRef<ZoomControl | null>(null);
  const size = useRef<Size>(GUESS);
  const layout = useRef<Layout | null>(null);
  /** Once the user has moved the camera, only the user moves it. */
  const byHand = useRef(false);
  /** The box that has to stay where it is while the others move. */
  const anchor = useRef<string | null>(null);
  const wantsFocus = useRef(false);
  const reframe = useRef(true);
  const [settled, setSettled] = useState(false);
  const [room, setRoom] = useState<Size | null>(null);
  const [measure, setMeasure] = useState<Measure | null>(null);
  const [outside, setOutside] = useState({ differences: 0, boxes: 0 });
  const [current, setCurrent] = useState("");
  /** Of a large tree: the boxes that are drawn with their text. */
  const [near, setNear] = useState<ReadonlySet<string>>(NOBODY);

  const words = useMemo(
    () => measure && { names: view.names, outputs: view.outputs, rules: view.rules, measure },
    [view, measure],
  );
  // Until it is known what to fold nothing is drawn: all of a large tree, for nobody to see, takes its time.
  const ready = words !== null && (settled || room === null);
  const placed = useMemo(
    () => (words && ready ? layoutTree(root, words, down) : null),
    [root, words, ready, down],
  );
  const titles = useMemo(
    () => new Map(placed?.boxes.map(({ box }) => [box.id, describe(box, view)])),
    [placed, view],
  );

  const recount = useCallback((camera: Camera) => {
    if (!layout.current) return;
    setOutside(outsideView(layout.current, camera, size.current));
    if (layout.current.boxes.length > LARGE) setNear(legible(layout.current, camera, size.current));
  }, []);
  const goHome = useCallback((glide: boolean) => {
    if (layout.current) zoom.current?.moveTo(homeCamera(layout.current, size.current), glide);
  }, []);

  useLayoutEffect(() => {
    const surface = svg.current;
    const moving = layer.current;
    if (!surface || !moving) return;
    const family = getComputedStyle(surface).fontFamily;
    setMeasure(() => createMeasure(family, surface.ownerDocument));
    let frame = 0;
    const control = createZoom(
      surface,
      moving,
      () => size.current,
      (camera, hand) => {
        byHand.current ||= hand;
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(() => recount(camera));
      },
    );
    zoom.current = control;
    const read = () => {
      const { clientWidth: width, clientHeight: height } = surface;
      if (!(width > 0 && height > 0)) return;
      size.current = { width, height };
      setRoom((known) => known ?? size.current);
      if (!byHand.current) goHome(false);
      recount(control.camera());
    };
    read();
    const observer = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(read);
    observer?.observe(surface);
    return () => {
      cancelAnimationFrame(frame);
      observer?.disconnect();
      control.dispose();
    };
  }, [goHome, recount]);

  // A new layout: the first one is framed, later ones keep the anchor (or the root) where it was.
  useLayoutEffect(() => {
    const before = layout.current;
    layout.current = placed;
    if (!placed || !zoom.current) return;
    const camera = zoom.current.camera();
    if (!before || reframe.current) goHome(false);
    else {
      const id = anchor.current;
      const was = id === null ? undefined : before.byId.get(id);
      const is = id === null ? undefined : placed.byId.get(id);
      if (was && is)
        zoom.current.moveTo(
          {
            k: camera.k,
            x: camera.x + (was.x - is.x) * camera.k,
            y: camera.y + (was.y - is.y) * camera.k,
          },
          true,
        );
    }
    anchor.current = null;
    reframe.current = false;
    recount(zoom.current.camera());
  }, [placed, goHome, recount]);

  useLayoutEffect(() => {
    if (!words || !room || settled) return;
    reframe.current = onRoom(words, room);
    setSettled(true);
  }, [words, room, settled, onRoom]);

  useEffect(() => {
    if (!placed || !zoom.current || reveal.length === 0) return;
    // what is folded, or half of a pair, is where the box around it is: ids are paths
    const boxOf = (id: string): Placed | [] =>
      placed.byId.get(id) ?? (id.length > 1 ? boxOf(id.slice(0, -1)) : []);
    const boxes = reveal.flatMap(boxOf);
    const camera = zoom.current.camera();
    const next = revealCamera(boxes, camera, size.current);
    if (next.x !== camera.x || next.y !== camera.y) {
      // what was asked for stays in view when the room changes, as it does for a note below the tree
      byHand.current = true;
      zoom.current.moveTo(next, true);
    }
    // A fold must not pull the camera back to what was revealed before it.
  }, [reveal, ready]);

  controls.current = {
    fit() {
      byHand.current = true;
      if (layout.current) zoom.current?.moveTo(fitCamera(layout.current, size.current), true);
    },
    home() {
      byHand.current = false;
      goHome(true);
    },
    zoomBy(factor) {
      byHand.current = true;
      zoom.current?.zoomBy(factor);
    },
  };

  const fold = useCallback(
    (id: string) => {
      anchor.current = id;
      byHand.current = true;
      onFold(id);
    },
    [onFold],
  );
  const focused = useCallback((id: string) => setCurrent(id), []);

  // A box that is gone cannot hold the tab stop.
  const tabStop = placed?.byId.has(current) ? current : (placed?.boxes[0]?.box.id ?? "");

  const focusTabStop = () => {
    for (const element of layer.current?.querySelectorAll<SVGGElement>("[data-node]") ?? [])
      if (element.dataset.node === tabStop) element.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (!wantsFocus.current || !placed) return;
    wantsFocus.current = false;
    const target = placed.byId.get(tabStop);
    if (!target || !zoom.current) return;
    focusTabStop();
    const camera = zoom.current.camera();
    const next = revealCamera([target], camera, size.current);
    if (next.x !== camera.x || next.y !== camera.y) zoom.current.moveTo(next, true);
  }, [tabStop, placed]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!placed || event.ctrlKey || event.metaKey || event.altKey) return;
    const move = moveFor(event.key, placed.boxes, tabStop);
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    if (move.kind === "focus") {
      // at an end of the tree nothing moves, and nobody would take the wish back
      if (move.id !== tabStop) wantsFocus.current = true;
      setCurrent(move.id);
    } else if (move.kind === "fold") {
      wantsFocus.current = true;
      fold(move.id);
    } else if (move.kind === "select") onSelect(move.id);
    else if (move.kind === "fit") controls.current?.fit();
    else controls.current?.zoomBy(move.factor);
  };

  const large = (placed?.boxes.length ?? 0) > LARGE;
  return (
    <>
      <div class="imd-canvas">
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the tree inside it is labelled */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape clears as well, in the handler of the whole view */}
        <svg
          ref={svg}
          class="imd-svg"
          data-testid="imd-tree"
          onClick={(event) => {
            if (!(event.target as Element).closest("[data-node]")) onClear();
          }}
        >
          <Hatches boxes={placed?.boxes ?? NO_BOXES} uid={uid} />
          <g
            ref={layer}
            class={large ? "imd-layer is-still" : "imd-layer"}
            role="tree"
            aria-label={`Where ${view.names[0]} and ${view.names[1]} differ`}
            // it takes the focus of a box that is gone, for the box that has the tab stop in its place
            tabindex={-1}
            onFocus={(event) => event.target === layer.current && focusTabStop()}
            onKeyDown={onKeyDown}
          >
            {placed?.links.map((link) => (
              <Edge
                key={link.id}
                link={link}
                lit={lit ? lit.has(link.id) : null}
                plain={large && !near.has(link.id)}
              />
            ))}
            {placed?.boxes.map((item) => {
              const { id, pair } = item.box;
              const isLit = lit?.has(id) ?? false;
              const isFresh = fresh.has(id) || (pair?.some((leaf) => fresh.has(leaf.id)) ?? false);
              return (
                <Node
                  key={id}
                  placed={item}
                  title={titles.get(id) ?? ""}
                  lit={isLit}
                  dim={lit !== null && !isLit}
                  selected={
                    id === selected || (pair?.some((leaf) => leaf.id === selected) ?? false)
                  }
                  fresh={isFresh}
                  current={id === tabStop}
                  plain={large && !near.has(id)}
                  uid={uid}
                  onSelect={onSelect}
                  onFold={fold}
                  onFocus={focused}
                />
              );
            })}
          </g>
        </svg>
      </div>
      <div class="imd-under">
        {note || (
          <Hint
            outside={outside}
            tucked={tucked}
            onFit={() => controls.current?.fit()}
            onUnfold={onUnfold}
          />
        )}
        <Zoom
          onFit={() => controls.current?.fit()}
          onZoom={(factor) => controls.current?.zoomBy(factor)}
        />
      </div>
    </>
  );
}

interface EdgeProps {
  link: Link;
  /** null: nothing is lit, so that nothing is dimmed either. */
  lit: boolean | null;
  plain: boolean;
}

const Edge = memo(({ link, lit, plain }: EdgeProps) => {
  const classes = ["imd-link", `is-side${link.side}`];
  if (link.bracket) classes.push("is-bracket");
  if (lit !== null) classes.push(lit ? "is-lit" : "is-dim");
  const dash = link.side === 2 ? `${link.width + 4} ${link.width + 2}` : undefined;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of lines takes no focus; the boxes say yes and no themselves
    <g class={classes.join(" ")} aria-hidden="true">
      <path d={link.path} stroke-width={link.width} stroke-dasharray={dash} />
      {!plain && (
        <text
          style={{ transform: `translate(${link.labelX}px, ${link.labelY}px)` }}
          text-anchor={link.labelAnchor}
        >
          {link.label}
        </text>
      )}
    </g>
  );
});
