// The whole view of one comparison: what is shown follows the host's state, what is folded and hovered lives here.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Headline } from "./headline";
import { Help } from "./help";
import type { Host } from "./host";
import { Panel, type Tab } from "./panels/Panel";
import { messageOf } from "./panels/Rows";
import { download } from "./save";
import { type Theme, watchTheme } from "./theme";
import { type Busy, Toolbar } from "./toolbar";
import { Traced } from "./trace";
import type { Size } from "./tree/camera";
import type { Words } from "./tree/content";
import { firstFolds } from "./tree/first";
import { Legend } from "./tree/Legend";
import { type TreeControls, TreeView } from "./tree/TreeView";
import { indexNodes, rulePath, type TreeIndex, visibleTree } from "./tree/visible";
import type { Change, DiffView, WidgetState } from "./types";

const FLASH_MS = 1800;
const LOWEST = 320;
/** A hand on a slider moves on before this. */
const CHANGE_MS = 250;
const NOTHING: ReadonlySet<string> = new Set();

let views = 0;

function useHostState(host: Host): WidgetState {
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

/** Opens whatever is folded above the given boxes, so that what was asked for can be seen. */
function opened(
  folds: ReadonlyMap<string, boolean>,
  ids: Iterable<string>,
): ReadonlyMap<string, boolean> {
  let next: Map<string, boolean> | null = null;
  for (const id of ids) {
    if (folds.get(id) !== true) continue;
    next ??= new Map(folds);
    next.delete(id);
  }
  return next ?? folds;
}

function litBy(index: TreeIndex, view: DiffView, numbers: readonly number[]) {
  const lit = new Set<string>();
  for (const number of numbers) {
    const rule = view.rules[number];
    if (rule) for (const id of rulePath(index, rule)) lit.add(id);
  }
  return lit.size > 0 ? lit : null;
}

/** Options that were asked for, from the first move of a hand until the answer; one question for many moves. */
function useChange(ask: (options: Change) => Promise<unknown>) {
  const [wanted, setWanted] = useState<Change>({});
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const under = useRef<Change>({});
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (options: Change) => {
    const all = { ...under.current, ...options };
    under.current = all;
    setWanted(all);
    clearTimeout(timer.current);
    timer.current = setTimeout(async () => {
      await ask(all);
      // a later move is on its way
      if (under.current !== all) return;
      under.current = {};
      setWanted({});
    }, CHANGE_MS);
  };
  return [wanted, change] as const;
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
  const [differencesOnly, setDifferencesOnly] = useState(true);
  const [folds, setFolds] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [hovered, setHovered] = useState<number | null>(null);
  const [help, setHelp] = useState(false);
  const [tab, setTab] = useState<Tab>("Rules");
  const [busy, setBusy] = useState<Busy | null>(null);
  const [error, setError] = useState<string | null>(null);

  useLayoutEffect(() => {
    const around = el.current?.parentElement;
    return around ? watchTheme(state.theme, around, setTheme) : undefined;
  }, [state.theme]);

  const index = useMemo(() => indexNodes(view.nodes), [view]);
  const root = useMemo(
    () => visibleTree(index, { differencesOnly, folds }),
    [index, differencesOnly, folds],
  );
  const fresh = useFresh(view);
  const tucked = useRef<ReadonlyMap<string, boolean>>(new Map());
  const room = useRef<{ words: Words; size: Size } | null>(null);
  const makeRoom = useCallback(
    (words: Words, size: Size) => {
      room.current = { words, size };
      tucked.current = firstFolds(index, words, size);
      if (tucked.current.size === 0) return false;
      setFolds(tucked.current);
      return true;
    },
    [index],
  );
  // With another depth it is another tree, to be looked at from the start.
  const { max_depth } = view.options;
  const depth = useRef(max_depth);
  useLayoutEffect(() => {
    if (depth.current === max_depth || !room.current) return;
    depth.current = max_depth;
    const { words, size } = room.current;
    const now = { ...words, names: view.names, outputs: view.outputs, rules: view.rules };
    tucked.current = firstFolds(index, now, size);
    setFolds(tucked.current);
    requestAnimationFrame(() => controls.current?.home());
  }, [max_depth, index, view]);
  const unfoldAll = useCallback(() => {
    setFolds(new Map());
    requestAnimationFrame(() => controls.current?.home());
  }, []);

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
  // Unfolded and revealed in one draw: the camera can only go to a box that has a place.
  const [reveal, setReveal] = useState<readonly string[]>([]);
  const pinned = useRef<readonly number[]>([]);
  useLayoutEffect(() => {
    if (pinned.current === state.selected_rules) return;
    pinned.current = state.selected_rules;
    setFolds((now) => opened(now, litBy(index, view, rules) ?? []));
    const rule = view.rules[rules[rules.length - 1] ?? -1];
    // the parts of the rule that are drawn: whole nodes, else the first of its pairs of leaves
    const drawn = rule && rule.nodes.length > 0 ? rule.nodes : rule?.leaves[0];
    setReveal(rule ? [rule.node, ...(drawn ?? [])] : []);
  }, [index, view, rules, state.selected_rules]);
  useLayoutEffect(() => {
    if (!traced) return;
    setFolds((now) => opened(now, traced.nodes));
    // where it ends up: the nodes that no other one lies below
    const ends = traced.nodes.filter(
      (id) => !traced.nodes.some((other) => other !== id && other.startsWith(id)),
    );
    setReveal(ends);
  }, [traced]);

  const untrace = useCallback(() => {
    if (host.state().traced) host.trace(null).catch((problem) => setError(messageOf(problem)));
  }, [host]);
  const selectNode = useCallback(
    (id: string) => {
      untrace();
      host.select({ selected_node: id, selected_rules: [] });
    },
    [host, untrace],
  );
  const clear = useCallback(() => host.select({ selected_node: "", selected_rules: [] }), [host]);
  /** Lets go of one thing at a time: the help, a row, what is selected. */
  const letGo = useCallback(() => {
    if (help) setHelp(false);
    else if (host.state().traced) untrace();
    else clear();
  }, [help, host, untrace, clear]);
  const pickRule = useCallback(
    (number: number, add: boolean) => {
      const now = host.state().selected_rules;
      const has = now.includes(number);
      const kept = add ? now.filter((other) => other !== number) : [];
      untrace();
      host.select({ selected_rules: has && (add || now.length === 1) ? kept : [...kept, number] });
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
    (id: string) => setFolds((now) => new Map(now).set(id, !isFolded.has(id))),
    [isFolded],
  );

  /** Shows that work is under way, and its error. */
  const under = useRef(0);
  const during = async (kind: Busy, work: () => Promise<unknown>) => {
    under.current += 1;
    setBusy(kind);
    setError(null);
    try {
      await work();
    } catch (problem) {
      setError(messageOf(problem));
    } finally {
      under.current -= 1;
      // another change may have been asked for meanwhile
      if (under.current === 0) setBusy(null);
    }
  };
  const save = () =>
    during("save", async () => {
      const { page } = await host.ask({ kind: "save" });
      if (el.current) download(page, "diff.html", el.current);
    });
  const [wanted, change] = useChange((options) =>
    during("change", () => host.ask({ kind: "change", options })),
  );

  const toggleDifferences = () => {
    setDifferencesOnly(!differencesOnly);
    setFolds(new Map());
    requestAnimationFrame(() => controls.current?.home());
  };

  const height = Math.max(LOWEST, state.height);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys work wherever the focus is inside the widget, and a click anywhere brings it there
    <div
      ref={el}
      class="imd-root"
      data-theme={theme}
      data-lm-suppress-shortcuts="true"
      tabIndex={-1}
      style={{ "--imd-height": `${height}px` }}
      onKeyDown={(event) => {
        if (event.key === "Escape") letGo();
        else if (isTyping(event)) return;
        else if (event.key === "?") setHelp(!help);
        else if (event.key === "/") {
          event.preventDefault();
          setTab("Rules");
          requestAnimationFrame(() =>
            el.current?.querySelector<HTMLElement>("input[type=search]")?.focus(),
          );
        }
      }}
    >
      <div class="imd-frame">
        <Headline headline={view.headline} />
        <Toolbar
          view={view}
          options={{ ...view.options, ...wanted }}
          differencesOnly={differencesOnly}
          canAsk={host.canAsk}
          busy={busy}
          helpOpen={help}
          onDifferencesOnly={toggleDifferences}
          onFit={() => controls.current?.fit()}
          onZoom={(factor) => controls.current?.zoomBy(factor)}
          onAsk={(kind) => during(kind, () => host.ask({ kind }))}
          onChange={change}
          onSave={save}
          onHelp={() => setHelp(!help)}
        />
        <p class="imd-status" data-testid="imd-status" role="status" aria-live="polite">
          {busy ? "" : view.refinement.change}
        </p>
        {error !== null && (
          <div class="imd-error" data-testid="imd-error" role="alert">
            <span>{error}</span>
            <button type="button" aria-label="Dismiss" onClick={() => setError(null)}>
              ×
            </button>
          </div>
        )}
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
              tucked={folds === tucked.current ? folds.size : 0}
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
            {help && <Help view={view} onClose={() => setHelp(false)} />}
          </div>
          <Panel
            host={host}
            view={view}
            index={index}
            node={node}
            selected={rules}
            traced={traced}
            uid={uid}
            tab={tab}
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
