// The whole view of one comparison: what is shown follows the host's state, what is folded and hovered lives here.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Headline } from "./headline";
import { Help } from "./help";
import type { Host } from "./host";
import { Rules } from "./panels/Rules";
import { type Theme, watchTheme } from "./theme";
import { Toolbar } from "./toolbar";
import type { Size } from "./tree/camera";
import type { Words } from "./tree/content";
import { firstFolds } from "./tree/first";
import { Legend } from "./tree/Legend";
import { type TreeControls, TreeView } from "./tree/TreeView";
import { indexNodes, rulePath, type TreeIndex, visibleTree } from "./tree/visible";
import type { DiffView, Request, WidgetState } from "./types";

const FLASH_MS = 1800;
const LOWEST = 320;
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
  const [busy, setBusy] = useState<Request["kind"] | null>(null);
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
  const makeRoom = useCallback(
    (words: Words, size: Size) => {
      tucked.current = firstFolds(index, words, size);
      if (tucked.current.size === 0) return false;
      setFolds(tucked.current);
      return true;
    },
    [index],
  );
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
  const lit = useMemo(
    () => litBy(index, view, hovered === null ? rules : [...rules, hovered]),
    [index, view, rules, hovered],
  );
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

  const selectNode = useCallback(
    (id: string) => host.select({ selected_node: id, selected_rules: [] }),
    [host],
  );
  const clear = useCallback(() => host.select({ selected_node: "", selected_rules: [] }), [host]);
  const pickRule = useCallback(
    (number: number, add: boolean) => {
      const now = host.state().selected_rules;
      const has = now.includes(number);
      const kept = add ? now.filter((other) => other !== number) : [];
      host.select({ selected_rules: has && (add || now.length === 1) ? kept : [...kept, number] });
    },
    [host],
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

  const ask = async (kind: Request["kind"]) => {
    setBusy(kind);
    setError(null);
    try {
      await host.ask(kind);
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(null);
    }
  };

  const toggleDifferences = () => {
    setDifferencesOnly(!differencesOnly);
    setFolds(new Map());
    requestAnimationFrame(() => controls.current?.home());
  };

  const height = Math.max(LOWEST, state.height);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape works wherever the focus is inside the widget
    <div
      ref={el}
      class="imd-root"
      data-theme={theme}
      data-lm-suppress-shortcuts="true"
      style={{ "--imd-height": `${height}px` }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        if (help) setHelp(false);
        else clear();
      }}
    >
      <div class="imd-frame">
        <Headline headline={view.headline} />
        <Toolbar
          refinement={view.refinement}
          differencesOnly={differencesOnly}
          canAsk={host.canAsk}
          busy={busy}
          helpOpen={help}
          onDifferencesOnly={toggleDifferences}
          onFit={() => controls.current?.fit()}
          onZoom={(factor) => controls.current?.zoomBy(factor)}
          onAsk={ask}
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
              onClear={clear}
            />
            <Legend view={view} />
            {help && <Help view={view} onClose={() => setHelp(false)} />}
          </div>
          <Rules
            view={view}
            node={node}
            selected={rules}
            onPick={pickRule}
            onHover={setHovered}
            onShowAll={clear}
          />
        </div>
      </div>
    </div>
  );
}
