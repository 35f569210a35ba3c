// The column of a split over the rows of its node: how many, and which share of them differs.

import type { SplitHistogram } from "../protocol/types";
import { count, percent, plural } from "../text/format";
import { Bar, width } from "./Bar";
import { ShareKey, ShareLine, shareOf, topShare } from "./ShareLine";
import "./Histogram.css";

const barTitle = (name: string, same: number, differ: number) =>
  `${name}${plural(same + differ, "row")}, ${count(differ)} of them differ${
    differ > 0 ? ` (${percent(differ / (same + differ))})` : ""
  }`;

interface HistogramProps {
  column: string;
  /** The condition of the split, "age < 42". */
  condition: string;
  bars: SplitHistogram;
}

export function Histogram({ column, condition, bars }: HistogramProps) {
  const { same, differ, labels, missing } = bars;
  const totals = same.map((rows, i) => rows + (differ[i] ?? 0));
  const shares = totals.map((total, i) => shareOf(differ[i] ?? 0, total));
  return (
    <div class="imd-histogram">
      <h4>
        <span title={column}>{column}</span>
        <small>
          <i class="imd-same" /> same <i class="imd-differ" /> differ
        </small>
      </h4>
      {labels ? (
        <ul class="imd-bars">
          {labels.map((label, i) => (
            <Bar
              key={i}
              name={<span>{label}</span>}
              title={barTitle(`${label}: `, same[i] ?? 0, differ[i] ?? 0)}
              value={`${count(totals[i] ?? 0)} · ${percent(shares[i] ?? null)}`}
            >
              <i class="imd-differ" style={width(differ[i] ?? 0, Math.max(1, ...totals))} />
              <i class="imd-same" style={width(same[i] ?? 0, Math.max(1, ...totals))} />
            </Bar>
          ))}
        </ul>
      ) : (
        <Ordered column={column} condition={condition} bars={bars} shares={shares} />
      )}
      {missing && <small>{barTitle("Missing: ", missing[0], missing[1])}</small>}
    </div>
  );
}

/** The threshold of a condition on an ordered column: "42" of "age < 42". */
export function thresholdOf(column: string, condition: string): string {
  const rest = condition.startsWith(column) ? condition.slice(column.length) : "";
  return /^\s*[<>]=?\s*(.+?)(\s+or missing)?$/.exec(rest)?.[1] ?? "";
}

function Ordered({
  column,
  condition,
  bars,
  shares,
}: HistogramProps & { shares: (number | null)[] }) {
  const { same, differ, cut, low, high } = bars;
  const totals = same.map((rows, i) => rows + (differ[i] ?? 0));
  const most = Math.max(1, ...totals);
  const top = topShare(shares);
  const at = cut === null ? null : (100 * cut) / totals.length;
  const threshold = thresholdOf(column, condition);
  return (
    <>
      <div
        class="imd-columns"
        role="img"
        aria-label={`${column} from ${low} to ${high}: ${totals.length} bars, in which ${percent(Math.min(...shares.map((share) => share ?? 1)))} to ${percent(top)} of the rows differ`}
      >
        {totals.map((total, i) => (
          <span key={i} title={barTitle("", same[i] ?? 0, differ[i] ?? 0)}>
            <i class="imd-same" style={{ height: `${(100 * (same[i] ?? 0)) / most}%` }} />
            <i
              class="imd-differ"
              style={{ height: `${(100 * (total - (same[i] ?? 0))) / most}%` }}
            />
          </span>
        ))}
        <ShareLine shares={shares} top={top} />
        {at !== null && (
          <b class="imd-cut" style={{ left: `${at}%` }}>
            <span>yes</span>
            <span>no</span>
          </b>
        )}
      </div>
      <p class="imd-axis">
        <span>{low}</span>
        {threshold && at !== null && at > 15 && at < 85 && (
          <b class="imd-threshold" style={{ left: `${at}%` }}>
            {threshold}
          </b>
        )}
        <span>{high}</span>
      </p>
      <small>
        <ShareKey top={top} /> · up to {plural(most, "row")} per bar
      </small>
    </>
  );
}
