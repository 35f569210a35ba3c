// Every rule, for paper: no paging, no filter, nothing to click.

import { useDiff } from "../state/context";
import { plural } from "../text/format";
import { NO_FILTER, sorted } from "./filter";
import { Cards } from "./RulesPanel";

const nothing = () => {};

export function PrintedRules() {
  const { view } = useDiff();
  if (view.rules.length === 0) return null;
  return (
    <section class="imd-printed" data-testid="imd-printed">
      <h3>{plural(view.rules.length, "rule")}</h3>
      <Cards
        open
        agreeing={view.rules.filter(({ agrees }) => agrees).length}
        rules={sorted(view.rules, NO_FILTER.order)}
        view={view}
        selection={{ rules: [], pickRule: nothing, hoverRule: nothing }}
      />
    </section>
  );
}
