// The whole view of one comparison: what is shown follows the host's state, what is folded and hovered lives here.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Host, offFor } from "../host/host";
import type { HostState } from "../host/store";
import { type Theme, watchTheme } from "../host/theme";
import { NO_FILTER } from "../panels/filter";
import { Panel } from "../panels/Panel";
import type { DiffView } from "../protocol/types";
import { Status, useWork } from "../state/useKernelWork";
import type { Size } from "../tree/camera";
import type { Words } from "../tree/content";
import { firstFolds } from "../tree/initialFolds";
import { zoomFor } from "../tree/keys";
import { Legend } from "../tree/Legend";
import { type TreeControls, TreeView } from "../tree/TreeView";
import { indexNodes, pathTo, rulePath, type TreeIndex, visibleTree } from "../tree/visible";
import { Headline } from "./Headline";
import { Help } from "./Help";
import { Toolbar } from "./Toolbar";
import { Traced } from "./TracedRow";

const FLASH_MS = 1800;
const LOWEST = 320;
const NOTHING: ReadonlySet<string> = new Set();

let views = 0;

function useHostState(host: Host): HostState {
  const [state, setState] = useState(host.state());
  useLayoutEffect(() => {
    setState(host.state());
    return host.subscribe(() => setState(host.state()));
  }, [host]);
  return state;
}

/** Ids that the last refinement added, for as long as they should flash; nothing at the first draw. */
function useFresh(view: DiffView): ReadonlySet<string> {
  const before = useRef(view);
  const [fresh, setFresh] = useState(NOTHING);
  useEffect(() => {
    const grew = view.refinement.steps > before.current.refinement.steps;
    before.current = view;
    if (!grew) {
      setFresh(NOTHING);
      return;
    }
    setFresh(new Set(view.refinement.added));
    const timer = setTimeout(() => setFresh(NOTHING), FLASH_MS);
    return () => clearTimeout(timer);
  }, [view]);
  return fresh;
}

function litBy(index: TreeIndex, view: DiffView, numbers: readonly number[]) {
  const lit = new Set<string>();
  for (const number of numbers) {
    const rule = view.rules[number];
    if (rule) for (const id of rulePath(index, rule)) lit.add(id);
  }
  return lit.size > 0 ? lit : null;
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLInputElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  return /^(select|textarea)$/i.test(target.tagName) || target.type === "search";
}

export function App({ host }: { host: Host }) {
  const state = useHostState(host);
  const { view } = state;
  const el = useRef<HTMLDivElement>(null);
  const controls = useRef<TreeControls | null>(null);
  const [uid] = useState(() => {
    views += 1;
    return `imd-${views}-${Math.random().toString(36).slice(2, 8)}`;
  });
  const [theme, setTheme] = useState<Theme>(state.theme === "dark" ? "dark" : "light");
  /** What is folded so that the first view can be read; what the user folds goes before it. */
  const [tucked, setTucked] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [hovered, setHovered] = useState<number | null>(null);
  /** Boxes to bring into view. */
  const [reveal, setReveal] = useState<readonly string[]>([]);
  const [help, setHelp] = useState(false);
  const work = useWork(host);

  useLayoutEffect(() => {
    const around = el.current?.parentElement;
    return around ? watchTheme(state.theme, around, setTheme) : undefined;
  }, [state.theme]);

  const index = useMemo(() => indexNodes(view.nodes), [view]);
  const differencesOnly = state.differences_only;
  const folds = useMemo(
    () => new Map([...tucked, ...Object.entries(state.folds)]),
    [tucked, state.folds],
  );
  const root = useMemo(
    () => visibleTree(index, { differencesOnly, folds }),
    [index, differencesOnly, folds],
  );
  const fresh = useFresh(view);
  const down = state.orientation === "down";
  const room = useRef<{ words: Words; size: Size } | null>(null);
  const tuck = useCallback(() => {
    if (!room.current) return false;
    const { words, size } = room.current;
    const now = { ...words, names: view.names, outputs: view.outputs, rules: view.rules };
    const first = differencesOnly ? firstFolds(index, now, size, down) : new Map<string, boolean>();
    // what is looked at is not folded away
    const { selected_rules, traced: row } = host.state();
    for (const id of [...(litBy(index, view, selected_rules) ?? []), ...(row?.nodes ?? [])])
      first.delete(id);
    setTucked(first);
    return first.size > 0;
  }, [host, index, view, differencesOnly, down]);
  const makeRoom = useCallback(
    (words: Words, size: Size) => {
      room.current = { words, size };
      return tuck();
    },
    [tuck],
  );
  // With other options it is another tree, to be looked at from the start; a refined one stays where it is.
  const { max_depth, sensitivity } = view.options;
  const looked = useRef("");
  const look = `${max_depth} ${sensitivity} ${differencesOnly} ${down}`;
  useLayoutEffect(() => {
    const first = looked.current === "";
    if (looked.current === look) return;
    looked.current = look;
    if (first || !room.current) return;
    tuck();
    requestAnimationFrame(() => {
      controls.current?.home();
      // what is looked at stays in sight
      setReveal((shown) => [...shown]);
    });
  }, [look, tuck]);
  const unfoldAll = useCallback(() => {
    setTucked(new Map());
    host.set({ folds: {} });
    requestAnimationFrame(() => controls.current?.fit());
  }, [host]);

  // What a refinement removed cannot stay selected here; it is for Python to say so in the traits.
  const node = index.byId.get(state.selected_node) ?? null;
  const rules = useMemo(
    () => state.selected_rules.filter((number) => view.rules[number] !== undefined),
    [state.selected_rules, view],
  );
  const { traced } = state;
  const lit = useMemo(() => {
    // a rule under the mouse is looked at for a moment, a traced row until it is let go
    if (traced && hovered === null) return new Set(traced.nodes);
    return litBy(index, view, hovered === null ? rules : [...rules, hovered]);
  }, [index, view, rules, hovered, traced]);
  /** Opens whatever is folded above the given boxes, so that what was asked for can be seen. */
  const open = useCallback(
    (ids: Iterable<string>) => {
      const closed = [...ids].filter((id) => folds.get(id));
      const { folds: byHand } = host.state();
      if (closed.length > 0)
        host.set({ folds: { ...byHand, ...Object.fromEntries(closed.map((id) => [id, false])) } });
    },
    [host, folds],
  );
  // Unfolded and revealed in one draw: the camera can only go to a box that has a place.
  const pinned = useRef<readonly number[]>([]);
  useLayoutEffect(() => {
    if (pinned.current.join() === state.selected_rules.join()) return;
    pinned.current = state.selected_rules;
    open(litBy(index, view, rules) ?? []);
    const rule = view.rules[rules[rules.length - 1] ?? -1];
    // the parts of the rule that are drawn: whole nodes, else the first of its pairs of leaves
    const drawn = rule && rule.nodes.length > 0 ? rule.nodes : rule?.leaves[0];
    setReveal(rule ? [rule.node, ...(drawn ?? [])] : []);
  }, [index, view, rules, state.selected_rules, open]);
  // A node that Python selects may be folded away; one that was clicked is in sight already.
  const { selected_node } = state;
  useLayoutEffect(() => {
    if (!selected_node || !index.byId.has(selected_node)) return;
    open(pathTo(index, selected_node).slice(0, -1));
    setReveal([selected_node]);
  }, [selected_node]);
  useLayoutEffect(() => {
    if (!traced) return;
    open(traced.nodes);
    // where it ends up: the nodes that no other one lies below
    const ends = traced.nodes.filter(
      (id) => !traced.nodes.some((other) => other !== id && other.startsWith(id)),
    );
    setReveal(ends);
    // a fold made later is not to be undone: only another row opens anything
  }, [traced]);

  const untrace = useCallback(() => {
    host.trace(null);
  }, [host]);
  const selectNode = useCallback(
    (id: string) => {
      untrace();
      host.set({ selected_node: id, selected_rules: [] });
    },
    [host, untrace],
  );
  const clear = useCallback(() => host.set({ selected_node: "", selected_rules: [] }), [host]);
  /** Lets go of one thing at a time: the help, a row, what is selected; false when there is none. */
  const letGo = useCallback(() => {
    const now = host.state();
    if (help) setHelp(false);
    else if (now.traced) untrace();
    else if (now.selected_node !== "" || now.selected_rules.length > 0) clear();
    else return false;
    return true;
  }, [help, host, untrace, clear]);
  const pickRule = useCallback(
    (number: number, add: boolean) => {
      const now = host.state().selected_rules;
      const has = now.includes(number);
      const kept = add ? now.filter((other) => other !== number) : [];
      untrace();
      host.set({ selected_rules: has && (add || now.length === 1) ? kept : [...kept, number] });
    },
    [host, untrace],
  );
  const isFolded = useMemo(() => {
    const folded = new Set<string>();
    const visit = (box: typeof root) => {
      if (box?.folded) folded.add(box.id);
      box?.children.forEach(visit);
    };
    visit(root);
    return folded;
  }, [root]);
  const fold = useCallback(
    (id: string) => host.set({ folds: { ...host.state().folds, [id]: !isFolded.has(id) } }),
    [host, isFolded],
  );

  const closeHelp = () => {
    setHelp(false);
    el.current?.querySelector<HTMLElement>('[data-testid="imd-help"]')?.focus();
  };

  const { kernel, tab } = state;
  // a card that is gone cannot tell that the mouse has left it
  useEffect(() => setHovered(null), [view, tab, state.filters, state.selected_node]);
  const filter = useMemo(() => ({ ...NO_FILTER, ...state.filters }), [state.filters]);
  const setTab = (now: typeof tab) => host.set({ tab: now });

  const height = Math.max(LOWEST, state.height);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys work wherever the focus is inside the widget, and a click anywhere brings it there
    <div
      ref={el}
      class="imd-root"
      data-theme={theme}
      tabIndex={-1}
      style={{ "--imd-height": `${height}px` }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          const left = !letGo();
          // with nothing to let go of the control itself is left, as an empty field is at once
          if (left || (event.target as HTMLInputElement).type === "search") el.current?.focus();
        } else if (isTyping(event)) return;
        else if (event.key === "?") setHelp(!help);
        else if (event.key === "/") {
          event.preventDefault();
          setTab("Rules");
          requestAnimationFrame(() =>
            el.current?.querySelector<HTMLElement>("input[type=search]")?.focus(),
          );
        } else {
          const move = zoomFor(event.key);
          if (move?.kind === "fit") controls.current?.fit();
          else if (move) controls.current?.zoomBy(move.factor);
        }
      }}
    >
      <div class="imd-frame">
        <Headline headline={view.headline} />
        <Toolbar
          view={view}
          options={{ ...view.options, ...work.wanted }}
          differencesOnly={differencesOnly}
          off={(kind) => offFor(state, kind)}
          busy={work.busy}
          helpOpen={help}
          onDifferencesOnly={() => host.set({ differences_only: !differencesOnly, folds: {} })}
          onAsk={work.ask}
          onChange={work.change}
          onSave={() => el.current && work.save(el.current)}
          onHelp={() => setHelp(!help)}
        />
        <Status work={work} kernel={kernel} change={view.refinement.change} />
        <div class="imd-main">
          <div class="imd-left">
            <TreeView
              view={view}
              root={root}
              lit={lit}
              reveal={reveal}
              selected={node?.id ?? ""}
              fresh={fresh}
              uid={uid}
              controls={controls}
              tucked={Object.keys(state.folds).length > 0 ? 0 : tucked.size}
              down={down}
              onRoom={makeRoom}
              onUnfold={unfoldAll}
              onSelect={selectNode}
              onFold={fold}
              onClear={letGo}
              note={
                traced && (
                  <Traced
                    traced={traced}
                    view={view}
                    onClose={untrace}
                    onPick={(rule) => {
                      setTab("Rules");
                      pickRule(rule, false);
                    }}
                  />
                )
              }
            />
            <Legend view={view} />
            {help && <Help view={view} onClose={closeHelp} />}
          </div>
          <Panel
            host={host}
            view={view}
            index={index}
            node={node}
            selected={rules}
            traced={traced}
            uid={uid}
            kernel={kernel}
            tab={tab}
            filter={filter}
            onFilter={(change) => host.set({ filters: { ...host.state().filters, ...change } })}
            onTab={setTab}
            onPick={pickRule}
            onHover={setHovered}
            onSelect={selectNode}
            onShowAll={clear}
          />
        </div>
      </div>
    </div>
  );
}
