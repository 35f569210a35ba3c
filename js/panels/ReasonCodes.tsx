// What each column of the traced row adds to the output of either model: bars to the left and right, on one scale for both.

import { useState } from "preact/hooks";
import type { WhyView } from "../protocol/types";
import { useDiff } from "../state/context";
import { BarKey, Bars, ContributionTable } from "./ContributionTable";
import { barScale, type ContributionLine } from "./contributionLines";
import { Switch } from "./Switch";
import { Trust } from "./Trust";

const MOST = 8;

const size = ({ first, second }: ContributionLine) => Math.max(Math.abs(first), Math.abs(second));

const TECHNIQUES = [
  { key: "klime", name: "K-LIME", technique: "K-LIME", title: "Linear models of clusters of rows" },
  { key: "loco", name: "LOCO", technique: "random forest", title: "Paths through random forests" },
] as const;

export function ReasonCodes({ why: { row, fidelity } }: { why: WhyView }) {
  const { names } = useDiff().view;
  const [chosen, setChosen] = useState(0);
  if (!row) return null;
  const { key, technique } = TECHNIQUES[chosen] ?? TECHNIQUES[0];
  const lines = row.reasons
    .map(({ column, value, [key]: [first = 0, second = 0] }): ContributionLine => {
      const difference = first - second; // one model has no second
      return { name: column, value, first, second, difference, error: null, kind: "column" };
    })
    .sort((a, b) => size(b) - size(a))
    .slice(0, MOST);
  const place = barScale(lines);
  const outputs = names.map((name, side) => `${name}: ${row.score_texts[side]}`).join(", ");
  return (
    <>
      <Trust fidelity={fidelity} technique={technique} />
      <p data-testid="imd-reasons-text">{key === "klime" ? row.text : outputs}</p>
      <Switch choices={TECHNIQUES} chosen={chosen} onChoose={setChosen} />
      <BarKey difference="difference" />
      <ContributionTable
        id="imd-reasons"
        lines={lines}
        shown="models"
        mark={(line) => <Bars line={line} place={place} />}
      />
    </>
  );
}
