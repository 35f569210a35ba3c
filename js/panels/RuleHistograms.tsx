// The columns of the selected rules: rows inside against rows outside, and which share of them differs.

import { unavailableReason } from "../host/host";
import type { RuleHistogram } from "../protocol/types";
import { useDiff } from "../state/context";
import { useQuery } from "../state/useQuery";
import { count, percent } from "../text/format";
import { Button } from "../ui/Button";
import { ErrorBox } from "../ui/ErrorBox";
import { ShareLine, shareOf, topShare } from "./ShareLine";
import "./Histogram.css";

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

export function RuleHistograms({ rules }: { rules: readonly number[] }) {
  const { host, state, view } = useDiff();
  const disabledReason = unavailableReason(state, "histograms");
  const query = useQuery(
    host,
    { kind: "histograms", rules: [...rules] },
    view,
    disabledReason === null,
  );
  const which = `${rules.length > 1 ? "rules" : "rule"} ${rules.join(", ")}`;
  const found = query.answer?.histograms ?? [];
  return (
    <section class="imd-inside" data-testid="imd-histograms" aria-busy={query.busy}>
      <h4>Inside {which} vs. outside</h4>
      {disabledReason !== null ? (
        <p class="imd-empty">{disabledReason}</p>
      ) : (
        query.busy && found.length === 0 && <p class="imd-empty">Loading…</p>
      )}
      {query.error !== null && (
        <ErrorBox id="imd-histograms-error" error={query.error}>
          <Button onClick={query.retry}>Try again</Button>
        </ErrorBox>
      )}
      {disabledReason === null && found.map((one, i) => <InsideOutside key={i} histogram={one} />)}
      {disabledReason === null && found.length > 0 && (
        <small class="imd-inside-key">
          <i class="imd-inside-bar" /> inside <i class="imd-outside-bar" /> outside: distribution of
          the rows. Lines: share of each bar's rows that differ, inside (solid) and outside
          (dashed).
        </small>
      )}
    </section>
  );
}

/** The labels of a few bars, evenly spread: all would not fit. */
export function axisLabels(labels: readonly string[], most = 4): (readonly [number, string])[] {
  const last = labels.length - 1;
  if (last < most) return labels.map((label, i) => [i, label] as const);
  const places = Array.from({ length: most }, (_, i) => Math.round((i * last) / (most - 1)));
  return places.map((i) => [i, labels[i] ?? ""] as const);
}

function InsideOutside({ histogram }: { histogram: RuleHistogram }) {
  const { column, labels, inside, outside } = histogram;
  const [insideRows, outsideRows] = [sum(inside), sum(outside)];
  const height = (rows: number, of: number) => (of > 0 ? rows / of : 0);
  const bars = labels.map((label, i) => {
    const [one = 0, other = 0] = [inside[i], outside[i]];
    const [differs = 0, differsOutside = 0] = [
      histogram.inside_differing[i],
      histogram.outside_differing[i],
    ];
    return {
      label,
      inside: height(one, insideRows),
      outside: height(other, outsideRows),
      share: shareOf(differs, one),
      outsideShare: shareOf(differsOutside, other),
      title: `${label}: inside ${count(one)} rows, ${count(differs)} differ; outside ${count(other)}, ${count(differsOutside)} differ`,
    };
  });
  const most = Math.max(0.001, ...bars.flatMap((bar) => [bar.inside, bar.outside]));
  const shares = bars.map(({ share }) => share);
  const outsideShares = bars.map(({ outsideShare }) => outsideShare);
  const top = topShare([...shares, ...outsideShares]);
  return (
    <div class="imd-histogram" data-column={column}>
      <h4>
        <span title={column}>{column}</span>
        <small>differ: up to {percent(top)}</small>
      </h4>
      <div
        class="imd-columns is-pairs"
        role="img"
        aria-label={`${column}: ${bars.map(({ title }) => title).join(". ")}`}
      >
        {bars.map((bar, i) => (
          <span key={i} title={bar.title}>
            <i class="imd-inside-bar" style={{ height: `${(100 * bar.inside) / most}%` }} />
            <i class="imd-outside-bar" style={{ height: `${(100 * bar.outside) / most}%` }} />
          </span>
        ))}
        <ShareLine shares={shares} top={top} />
        <div class="imd-share-outside">
          <ShareLine shares={outsideShares} top={top} />
        </div>
      </div>
      <p class="imd-axis is-labels">
        {axisLabels(labels).map(([i, label]) => (
          <span key={i} title={label}>
            {label}
          </span>
        ))}
      </p>
    </div>
  );
}
