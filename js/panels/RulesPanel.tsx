// The rules of the selected node, or all of them.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { unavailableReason } from "../host/host";
import type { DiffView, NodeView, RuleView } from "../protocol/types";
import { useDiff } from "../state/context";
import { useCohorts } from "../state/useCohorts";
import { isPage } from "../state/useExplain";
import { usePanelState } from "../state/usePanelState";
import type { Selection } from "../state/useSelection";
import { count, plural } from "../text/format";
import { locationOf } from "../text/location";
import { Button, TextButton } from "../ui/Button";
import { CohortCards, CohortField } from "./CohortPanel";
import { CrossTable } from "./CrossTable";
import { ANY, type Filter, isFiltered, matching, NO_FILTER, sorted } from "./filter";
import { OutcomeFilter, severalOutcomes } from "./OutcomeFilter";
import { PatchButton } from "./PatchButton";
import type { PanelProps } from "./panelProps";
import { RuleCard } from "./RuleCard";
import { RuleFilters } from "./RuleFilters";
import { StabilityButton } from "./Stability";
import "./RulesPanel.css";

const PAGE = 50;
/** As many as can be seen at once: the others of the page are drawn when these are painted. */
const AT_FIRST = 10;
const SOON_MS = 50;

function emptySentence(view: DiffView, node: NodeView | null): string {
  if (node && view.rules.length > 0)
    return node.differing === 0
      ? "The models agree on every row here."
      : `${count(node.differing)} of ${plural(node.rows, "row")} differ here, too scattered for a rule.`;
  if (view.headline.tone === "none") return view.headline.sentences[0] ?? "";
  return "The models differ, but no region has enough differences for a rule.";
}

/** How many rules are drawn: a few at first, then a page, then more pages, and up to `last` in any case. */
function useShownCount(
  list: { node: string; filter: Filter },
  last: number,
  onNewList: () => void,
) {
  const { node, filter } = list;
  const [pages, setPages] = useState(1);
  const [ready, setReady] = useState<typeof list | null>(null);
  const painted = ready?.node === node && ready.filter === filter;
  useEffect(() => {
    const timer = setTimeout(() => setReady({ node, filter }), SOON_MS);
    return () => clearTimeout(timer);
  }, [node, filter]);
  const before = useRef(list);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onNewList` is another function at each draw, and does the same
  useEffect(() => {
    if (before.current.node === node && before.current.filter === filter) return;
    before.current = { node, filter };
    setPages(1);
    onNewList();
  }, [node, filter]);
  const shown = Math.max(painted ? pages * PAGE : AT_FIRST, last + 1);
  return { shown, painted, showMore: () => setPages(Math.ceil(shown / PAGE) + 1) };
}

/** Scrolls the list, and not the notebook as `scrollIntoView` would, to the rule that was selected last. */
function useScrollTo(list: { current: HTMLElement | null }, rule: number | undefined) {
  useLayoutEffect(() => {
    const box = list.current;
    if (rule === undefined || !box) return;
    const card = box.querySelector<HTMLElement>(`[data-rule="${Number(rule)}"]`);
    if (!card) return;
    const top = card.offsetTop - box.offsetTop;
    const bottom = top + card.offsetHeight;
    if (top < box.scrollTop) box.scrollTop = top - 8;
    // A card that is taller than the list is shown from its top.
    else if (bottom > box.scrollTop + box.clientHeight)
      box.scrollTop = Math.min(top - 8, bottom - box.clientHeight + 8);
  }, [list, rule]);
}

export function RulesPanel({ selection }: PanelProps) {
  const { host, state, view } = useDiff();
  const { node, rules: selected } = selection;
  const filter = useMemo(() => ({ ...NO_FILTER, ...state.filters }), [state.filters]);
  const onFilter = (change: Partial<Filter>) =>
    host.set({ filters: { ...host.state().filters, ...change } });
  const filtered = isFiltered(filter);
  const { here, rules } = useMemo(() => {
    const here = node ? node.rules.flatMap((number) => view.rules[number] ?? []) : view.rules;
    return { here, rules: sorted(matching(here, filter), filter.order) };
  }, [view, node, filter]);
  const several = useMemo(() => severalOutcomes(view), [view]);

  const list = useRef<HTMLDivElement>(null);
  // A rule that Python selects may lie beyond the first page.
  const last = selected.length > 0 ? rules.findLastIndex((r) => selected.includes(r.number)) : -1;
  const { shown, painted, showMore } = useShownCount({ node: node?.id ?? "", filter }, last, () =>
    list.current?.scrollTo?.({ top: 0 }),
  );
  useScrollTo(list, selected[selected.length - 1]);

  const live = unavailableReason(state, "cohort") === null;
  const cohorts = useCohorts(live);
  const cross = !node && <CrossTable view={view} />;
  // One rule needs no search.
  const filters = (view.rules.length > 1 || filtered) && { view, rules: here, filter, onFilter };
  const [wanted, setWanted] = usePanelState("outcomes", false);
  const outcomes = {
    any: filter.outcome !== "" || several,
    open: wanted || filter.outcome !== "",
    toggle: () => setWanted(!wanted),
  };
  return (
    <>
      <div class="imd-panel-head">
        <h3 data-testid="imd-listed" role="status">
          {filtered && `${count(rules.length)} of `}
          {plural(here.length, "rule")}{" "}
          {node && <span title={locationOf(node)}>{locationOf(node)}</span>}
          {!node && here.length > 0 && (
            <span class="imd-models-named" title={view.names.join(" → ")}>
              {view.names.join(" → ")}
            </span>
          )}
        </h3>
        {filtered && (
          <TextButton data-testid="imd-clear-filters" onClick={() => onFilter(ANY)}>
            Clear filters
          </TextButton>
        )}
        {node && (
          <TextButton onClick={selection.clear}>Show all {count(view.rules.length)}</TextButton>
        )}
        <PatchButton
          names={view.names}
          rules={selected.filter((number) => view.rules[number]?.agrees === false)}
          live={live}
        />
        {!isPage(view) && <StabilityButton />}
      </div>
      {filters && <RuleFilters {...filters} outcomes={outcomes} />}
      <div class="imd-scroll" ref={list}>
        {filters && outcomes.open && <OutcomeFilter {...filters} />}
        {view.truth !== 0 && cross}
        <CohortCards cohorts={cohorts} />
        {rules.length === 0 ? (
          <p class="imd-empty">
            {here.length > 0 ? "No rules match the filters." : emptySentence(view, node)}
          </p>
        ) : (
          <Cards
            rules={rules.slice(0, shown)}
            open={node !== null && rules.length === 1}
            agreeing={rules.filter(({ agrees }) => agrees).length}
            view={view}
            selection={selection}
          />
        )}
        {painted && rules.length > shown && (
          <Button class="imd-more" onClick={showMore}>
            Show {Math.min(PAGE, rules.length - shown)} more of {count(rules.length - shown)}
          </Button>
        )}
        {view.truth === 0 && cross}
      </div>
      {!isPage(view) && <CohortField cohorts={cohorts} />}
    </>
  );
}

const rowOf = (element: Element | null | undefined) =>
  element?.querySelector<HTMLElement>(":scope > .imd-row") ?? null;

/** The list is one tab stop, as the tree is: arrow keys, Home and End move between its rules. */
function useListKeys(rules: readonly RuleView[], selected: readonly number[]) {
  const [current, setCurrent] = useState<number | null>(null);
  const has = (number: number | null | undefined) => rules.some((rule) => rule.number === number);
  const tabStop = [current, selected.at(-1)].find(has) ?? rules[0]?.number;
  const onFocusIn = ({ target }: FocusEvent) => {
    const card = (target as Element).closest<HTMLElement>("[data-rule]");
    if (card) setCurrent(Number(card.dataset.rule));
  };
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const card = (event.target as Element).parentElement;
    if (event.target !== rowOf(card) || event.ctrlKey || event.metaKey || event.altKey) return;
    const { firstElementChild, lastElementChild } = event.currentTarget;
    const to = {
      ArrowDown: card?.nextElementSibling,
      ArrowUp: card?.previousElementSibling,
      Home: firstElementChild,
      End: lastElementChild,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    rowOf(to)?.focus();
  };
  return { tabStop, onFocusIn, onKeyDown };
}

interface CardsProps {
  /** Whether every rule is open, selected or not. */
  open?: boolean;
  /** Those that are drawn, rules of agreement last. */
  rules: readonly RuleView[];
  /** The number of rules of agreement in the list, drawn or not. */
  agreeing: number;
  view: DiffView;
  selection: Pick<Selection, "rules" | "pickRule" | "hoverRule">;
}

/** Rules of agreement are in a section of their own, which is folded below other rules until it is opened. */
export function Cards({ rules, agreeing, view, selection, open = false }: CardsProps) {
  const { stability } = useDiff().state;
  const [wanted, setWanted] = usePanelState<boolean | null>("agreement", null);
  // Rules of agreement can be so large that the bars of the others would be dots.
  const most = (kind: boolean) =>
    Math.max(0, ...view.rules.filter((r) => r.agrees === kind).map(({ support }) => support));
  const largest = { differing: most(false), agreeing: most(true) };
  const isPicked = ({ number }: RuleView) => selection.rules.includes(number);
  const list = useListKeys(rules, selection.rules);
  const cards = (some: readonly RuleView[]) => (
    <ul class="imd-cards" onKeyDown={list.onKeyDown} onFocusIn={list.onFocusIn}>
      {some.map((rule) => (
        <RuleCard
          key={rule.number}
          rule={rule}
          view={view}
          most={rule.agrees ? largest.agreeing : largest.differing}
          selected={isPicked(rule)}
          open={open || isPicked(rule)}
          tabStop={rule.number === list.tabStop}
          stability={stability}
          onPick={selection.pickRule}
          onHover={selection.hoverRule}
        />
      ))}
    </ul>
  );
  if (agreeing === 0) return cards(rules);
  const some = rules.filter(({ agrees }) => agrees);
  const differing = rules.filter(({ agrees }) => !agrees);
  const shown = open || some.some(isPicked) || (wanted ?? differing.length === 0);
  return (
    <>
      {differing.length > 0 && cards(differing)}
      <Button
        class="imd-section"
        data-testid="imd-agreement"
        aria-expanded={shown}
        onClick={() => setWanted(!shown)}
      >
        {plural(agreeing, "rule")} of agreement
      </Button>
      {shown && cards(some)}
    </>
  );
}
