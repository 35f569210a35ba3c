// The pairs of columns that interact most in the difference of the models, and a map of the difference for one of them.

import { useState } from "preact/hooks";
import type { PairView } from "../protocol/types";
import { useDiff } from "../state/context";
import { useQuery } from "../state/useQuery";
import { errorOn, rough } from "../text/format";
import { Button } from "../ui/Button";
import { width } from "./Bar";
import { HeatMap } from "./HeatMap";
import { Work } from "./Work";
import "./Interactions.css";

interface InteractionsProps {
  rules: number[];
  node: string;
}

export function Interactions({ rules, node }: InteractionsProps) {
  const { host, view } = useDiff();
  const [chosen, setChosen] = useState(0);
  const query = useQuery(host, { kind: "interactions", rules, node }, view, true);
  const found = query.answer?.interactions ?? null;
  const [, second] = view.names;
  const pair = found?.pairs[chosen];
  return (
    <>
      <Work query={query} name="pairs" />
      {found?.pairs.length === 0 && (
        <p>No two columns act together{second && " in the difference"}.</p>
      )}
      {found && (
        <>
          <ul class="imd-pairs" aria-label="Pairs of columns, the strongest first">
            {found.pairs.map((one, i) => (
              <Pair
                key={one.positions.join()}
                pair={one}
                most={found.pairs[0]?.strength ?? 1}
                chosen={i === chosen}
                onChoose={() => setChosen(i)}
              />
            ))}
          </ul>
          <p class="imd-why-key">{found.note}</p>
        </>
      )}
      {pair && <PairMap rules={rules} node={node} pair={pair} />}
    </>
  );
}

interface PairProps {
  pair: PairView;
  most: number;
  chosen: boolean;
  onChoose: () => void;
}

function Pair({ pair: { columns, strength, error, text }, most, chosen, onChoose }: PairProps) {
  return (
    <li>
      <Button aria-pressed={chosen} title={text} onClick={onChoose}>
        <span>{columns.join(" with ")}</span>
        <span class="imd-track" aria-hidden="true">
          <i style={width(strength, most)} />
        </span>
        <span>
          {rough(strength)} <small>{errorOn(most)(error)}</small>
        </span>
      </Button>
    </li>
  );
}

/** The map of the last pair is shown until that of the next one is there. */
function PairMap({ rules, node, pair }: InteractionsProps & { pair: PairView }) {
  const { host, view } = useDiff();
  const work = { kind: "map", rules, node, columns: pair.positions } as const;
  const query = useQuery(host, work, view, true);
  const map = query.answer?.map;
  return (
    <>
      <Work query={query} name="map" />
      {map && <HeatMap map={map} busy={query.busy} />}
    </>
  );
}
