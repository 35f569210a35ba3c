// Above the list of rules: search by text, filter by column, sort.

import { useMemo } from "preact/hooks";
import type { DiffView, RuleView } from "../protocol/types";
import { Button } from "../ui/Button";
import { columnsOf, type Filter, type Order } from "./filter";
import "./RuleFilters.css";

const ORDERS: [Order, string][] = [
  ["added", "Sort: gain"],
  ["coverage", "Sort: coverage"],
  ["rows", "Sort: rows"],
  ["rate", "Sort: rate"],
];

export interface RuleFilterProps {
  view: DiffView;
  /** Those of the selection, before any filter. */
  rules: readonly RuleView[];
  filter: Filter;
  onFilter: (change: Partial<Filter>) => void;
}

interface Outcomes {
  /** Whether there is more than one to choose from. */
  any: boolean;
  open: boolean;
  toggle: () => void;
}

export function RuleFilters({
  view,
  filter,
  onFilter,
  outcomes,
}: RuleFilterProps & { outcomes: Outcomes }) {
  const met = useMemo(() => columnsOf(view), [view]);
  const columns = !filter.column || met.includes(filter.column) ? met : [...met, filter.column];
  return (
    <div class="imd-bar-line">
      <input
        type="search"
        data-testid="imd-filter"
        placeholder="Filter ( / )"
        aria-label="Filter rules by text"
        title="Search conditions and outputs (key: /)"
        value={filter.text}
        onInput={(event) => onFilter({ text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || filter.text === "") return;
          event.stopPropagation();
          onFilter({ text: "" });
        }}
      />
      <select
        data-testid="imd-column"
        aria-label="Only rules that use a column"
        value={filter.column}
        onChange={(event) => onFilter({ column: event.currentTarget.value })}
      >
        <option value="">any column</option>
        {columns.map((column) => (
          <option key={column} value={column}>
            {column}
          </option>
        ))}
      </select>
      <select
        data-testid="imd-sort"
        aria-label="Sort rules"
        value={filter.order}
        onChange={(event) => onFilter({ order: event.currentTarget.value as Order })}
      >
        {ORDERS.map(([order, words]) => (
          <option key={order} value={order}>
            {words}
          </option>
        ))}
      </select>
      {outcomes.any && (
        <Button
          data-testid="imd-outcomes"
          aria-expanded={outcomes.open}
          title="Filter rules by the outputs of both models"
          onClick={outcomes.toggle}
        >
          Outputs
        </Button>
      )}
    </div>
  );
}
