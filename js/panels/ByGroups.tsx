// The rate of each group inside a rule, beside its rate over all rows.

import type { DiffView, GroupRate, RuleView } from "../protocol/types";
import { amount, count, percent, wideInterval } from "../text/format";
import "./ByGroups.css";

/** Groups that are listed; the others are counted. */
const MOST = 6;

/** "871 search → no, 25 no → search; fixes 3, breaks 40": how the rows of a group differ. */
export function groupWords({ ways, correctness }: GroupRate): string {
  const how = ways.map(({ text, rows }) => `${count(rows)} ${text.replace("->", "→")}`).join(", ");
  if (!correctness || correctness.first + correctness.second === 0) return how;
  const judged = `fixes ${amount(correctness.second)}, breaks ${amount(correctness.first)}`;
  return how ? `${how}; ${judged}` : judged;
}

interface Group {
  inside: GroupRate;
  all: GroupRate | undefined;
}

/** Groups with a row inside, those whose rate differs most from the rate over all rows first. */
export function groupsInside({ by }: DiffView, rule: RuleView): Group[] {
  const found = (rule.by ?? []).map((inside, i) => ({ inside, all: by?.groups[i] }));
  const gap = ({ inside, all }: Group) => Math.abs((inside.rate ?? 0) - (all?.rate ?? 0));
  return found
    .filter(({ inside }) => inside.rows > 0)
    .toSorted((a, b) => gap(b) - gap(a) || b.inside.rows - a.inside.rows);
}

export function ByGroups({ view, rule }: { view: DiffView; rule: RuleView }) {
  if (!view.by || !rule.by) return null;
  const groups = groupsInside(view, rule);
  const shown = groups.slice(0, MOST);
  const none = rule.by.filter(({ rows }) => rows === 0);
  const more = groups.length - shown.length;
  const verb = rule.agrees ? "agree" : "differ";
  const shareOf = (rate: number | null | undefined) =>
    percent(rate === null || rate === undefined ? null : rule.agrees ? 1 - rate : rate);
  const range = ([low, high]: [number, number]) =>
    wideInterval(rule.agrees ? [1 - high, 1 - low] : [low, high]);
  return (
    <div class="imd-by" data-testid="imd-by">
      <table>
        <caption>Affected groups</caption>
        <thead>
          <tr>
            <th scope="col" title={view.by.name}>
              {view.by.name}
            </th>
            <th scope="col">rows</th>
            <th scope="col" title={`Share of the group's rows inside the rule that ${verb}`}>
              {verb} here
            </th>
            <th scope="col" title={`Share of all rows of the group that ${verb}`}>
              overall
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ inside, all }) => [
            <tr key={inside.value}>
              <th scope="row" title={inside.value}>
                {inside.value}
              </th>
              <td>{count(inside.rows)}</td>
              <td>
                <b>{shareOf(inside.rate)}</b>
                {range(inside.interval) && <small> {range(inside.interval)}</small>}
              </td>
              <td>{shareOf(all?.rate)}</td>
            </tr>,
            !rule.agrees && groupWords(inside) && (
              <tr key={`${inside.value}: how`}>
                <td colSpan={4}>
                  <small>{groupWords(inside)}</small>
                </td>
              </tr>
            ),
          ])}
        </tbody>
      </table>
      {(more > 0 || none.length > 0) && (
        <small>
          {more > 0 && `${count(more)} more with rows inside. `}
          {none.length > 0 &&
            `No rows inside: ${none
              .slice(0, MOST)
              .map(({ value }) => value)
              .join(", ")}${none.length > MOST ? `, and ${count(none.length - MOST)} more` : ""}`}
        </small>
      )}
    </div>
  );
}
