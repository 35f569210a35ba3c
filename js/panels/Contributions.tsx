// What each column contributes to the scores of both models and to their gap: bars that add up.

import { useState } from "preact/hooks";
import type { ContributionsView } from "../protocol/types";
import { useDiff } from "../state/context";
import { TextButton } from "../ui/Button";
import { BarKey, Bars, ContributionTable, differenceName } from "./ContributionTable";
import { barScale, baseLine, columnLines, levelLine, sizeLines } from "./contributionLines";

/** Columns that are shown at first. */
const FIRST = 6;

interface ContributionsProps {
  contributions: ContributionsView;
}

export function Contributions({ contributions }: ContributionsProps) {
  const { names } = useDiff().view;
  const [all, setAll] = useState(false);
  const { columns, unused, total, note, averages_out: sizes, gap_text: gap } = contributions;
  const most = all ? Infinity : FIRST;
  const lines = sizes
    ? sizeLines(contributions, most)
    : [
        ...columnLines(contributions, most),
        baseLine(contributions),
        levelLine(contributions, names[1] === undefined ? "mean here" : "gap here"),
      ];
  const place = barScale(lines);
  return (
    <section data-testid="imd-contributions">
      <h4>
        {sizes
          ? "Mean absolute contribution of each column"
          : names[1] === undefined
            ? "What adds up to the score"
            : `What adds up to the gap: ${differenceName(names, false)} = ${gap}`}
      </h4>
      {unused.map((sentence) => (
        <p key={sentence} class="imd-unused">
          {sentence}
        </p>
      ))}
      <BarKey
        difference={`${differenceName(names, sizes)}${sizes ? "" : ", line: ± standard error"}`}
      />
      <ContributionTable
        id="imd-bars"
        lines={lines}
        decimals={contributions.decimals}
        shown="difference"
        mark={(line) => line.kind !== "sum" && <Bars line={line} place={place} />}
      />
      {columns.length > FIRST && (
        <TextButton aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show fewer columns" : "Show more columns"}
        </TextButton>
      )}
      <p class="imd-why-key">
        {!sizes && `${total} `}
        {note}
      </p>
    </section>
  );
}
