// The rules of the selection, or all of them.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { DiffView, NodeView } from "../protocol/types";
import { count, plural } from "../text/format";
import { ANY, type Filter, isFiltered, matching, sorted } from "./filter";
import { Outcomes, RuleBar } from "./RuleBar";
import { RuleCard } from "./RuleCard";

export interface RulesProps {
  view: DiffView;
  node: NodeView | null;
  selected: readonly number[];
  filter: Filter;
  onFilter: (change: Partial<Filter>) => void;
  onPick: (rule: number, add: boolean) => void;
  onHover: (rule: number | null) => void;
  onShowAll: () => void;
}

const PAGE = 50;
/** As many as can be seen: the others of the page follow when these are painted. */
const AT_FIRST = 10;
const SOON_MS = 50;

export function placeOf(node: NodeView): string {
  if (node.region) return "for the whole of this region";
  if (node.kind === "split") return `below “${node.condition ?? ""}”`;
  return node.kind === "leaf" ? "of this leaf" : "where the models part here";
}

function emptySentence(view: DiffView, node: NodeView | null): string {
  if (node && view.rules.length > 0)
    return node.differing === 0
      ? "The models agree on every row here."
      : `${count(node.differing)} of ${plural(node.rows, "row")} differ here, too thinly spread for a rule.`;
  if (view.headline.tone === "none") return view.headline.sentences[0] ?? "";
  return "The models differ, but no region holds enough of it to make a rule.";
}

export function Rules(props: RulesProps) {
  const { view, node, selected, filter, onFilter, onPick, onHover, onShowAll } = props;
  const here = node ? node.rules.flatMap((number) => view.rules[number] ?? []) : view.rules;
  const filtered = isFiltered(filter);
  const rules = sorted(matching(here, filter), filter.order);
  const list = useRef<HTMLDivElement>(null);
  const [pages, setPages] = useState(1);
  // A rule selected from Python may lie beyond the first page.
  const last = selected.length > 0 ? rules.findLastIndex((r) => selected.includes(r.number)) : -1;
  const place = node?.id ?? "";
  const [ready, setReady] = useState<{ place: string; filter: Filter } | null>(null);
  const painted = ready?.place === place && ready.filter === filter;
  useEffect(() => {
    const timer = setTimeout(() => setReady({ place, filter }), SOON_MS);
    return () => clearTimeout(timer);
  }, [place, filter]);
  const shown = Math.max(painted ? pages * PAGE : AT_FIRST, last + 1);

  // Back to the top whenever the list is another one.
  const listed = useRef({ place, filter });
  useEffect(() => {
    if (listed.current.place === place && listed.current.filter === filter) return;
    listed.current = { place, filter };
    setPages(1);
    list.current?.scrollTo?.({ top: 0 });
  }, [place, filter]);

  const newest = selected[selected.length - 1];
  useLayoutEffect(() => {
    const box = list.current;
    if (newest === undefined || !box) return;
    const card = box.querySelector<HTMLElement>(`[data-rule="${Number(newest)}"]`);
    if (!card) return;
    // scrollIntoView would scroll the notebook as well.
    const top = card.offsetTop - box.offsetTop;
    const bottom = top + card.offsetHeight;
    if (top < box.scrollTop) box.scrollTop = top - 8;
    else if (bottom > box.scrollTop + box.clientHeight)
      box.scrollTop = bottom - box.clientHeight + 8;
  }, [newest]);

  // one rule needs no search
  const bar = (view.rules.length > 1 || filtered) && { view, rules: here, filter, onFilter };
  return (
    <>
      <div class="imd-panel-head">
        <h3 data-testid="imd-listed" role="status">
          {filtered && `${count(rules.length)} of `}
          {plural(here.length, "rule")}
          {node && <span title={placeOf(node)}> {placeOf(node)}</span>}
        </h3>
        {filtered && (
          <button
            type="button"
            class="imd-text-button"
            data-testid="imd-clear-filters"
            onClick={() => onFilter(ANY)}
          >
            Clear filters
          </button>
        )}
        {node && (
          <button type="button" class="imd-text-button" onClick={onShowAll}>
            Show all {count(view.rules.length)}
          </button>
        )}
      </div>
      {bar && <RuleBar {...bar} />}
      <div class="imd-scroll" ref={list}>
        {bar && <Outcomes {...bar} />}
        {rules.length === 0 ? (
          <p class="imd-empty">
            {here.length > 0 ? "No rule passes the filters." : emptySentence(view, node)}
          </p>
        ) : (
          <ul class="imd-cards">
            {rules.slice(0, shown).map((rule) => (
              <RuleCard
                key={rule.number}
                rule={rule}
                view={view}
                selected={selected.includes(rule.number)}
                onPick={onPick}
                onHover={onHover}
              />
            ))}
          </ul>
        )}
        {painted && rules.length > shown && (
          <button
            type="button"
            class="imd-more"
            onClick={() => setPages(Math.ceil(shown / PAGE) + 1)}
          >
            Show {Math.min(PAGE, rules.length - shown)} more of {count(rules.length - shown)}
          </button>
        )}
      </div>
    </>
  );
}
