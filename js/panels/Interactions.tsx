// The pairs of columns that interact most in the difference of the models, and a map of the difference for one of them.

import { useState } from "preact/hooks";
import type { ContributionView, PairView } from "../protocol/types";
import { useDiff } from "../state/context";
import { useQuery } from "../state/useQuery";
import { errorOn, signedOn } from "../text/format";
import { Button } from "../ui/Button";
import { width } from "./Bar";
import { HeatMap } from "./HeatMap";
import { Work } from "./Work";
import "./Interactions.css";

interface Where {
  rules: number[];
  node: string;
}

interface InteractionsProps extends Where {
  /** Columns of which any two have a map. */
  columns: readonly ContributionView[];
}

type Positions = [number, number];

export function Interactions({ rules, node, columns }: InteractionsProps) {
  const { host, view } = useDiff();
  const [chosen, setChosen] = useState(0);
  const query = useQuery(host, { kind: "interactions", rules, node }, view, true);
  const found = query.answer?.interactions ?? null;
  const [, second] = view.names;
  const [own, setOwn] = useState<Positions | null>(null);
  const positions = own ?? found?.pairs[chosen]?.positions;
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
                chosen={own === null && i === chosen}
                onChoose={() => {
                  setChosen(i);
                  setOwn(null);
                }}
              />
            ))}
          </ul>
          <p class="imd-why-key">{found.note}</p>
        </>
      )}
      {positions && found && (
        <>
          <ColumnChoice
            columns={[...columns, ...found.pairs.flatMap(columnsOf)]}
            positions={positions}
            onChoose={setOwn}
          />
          <PairMap rules={rules} node={node} positions={positions} />
        </>
      )}
    </>
  );
}

const columnsOf = ({ columns, positions }: PairView) =>
  columns.map((column, side) => ({ column, position: positions[side] ?? null }));

interface ChoiceProps {
  columns: readonly { column: string; position: number | null }[];
  positions: Positions;
  onChoose: (positions: Positions) => void;
}

/** Any two columns: the same one twice exchanges them. */
function ColumnChoice({ columns, positions: [across, down], onChoose }: ChoiceProps) {
  const named = new Map(
    columns.flatMap(({ column, position }) => (position === null ? [] : [[position, column]])),
  );
  const field = (label: string, value: number, choose: (position: number) => void) => (
    <label>
      {label}{" "}
      <select
        value={String(value)}
        onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
      >
        {[...named].map(([position, column]) => (
          <option key={position} value={position}>
            {column}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <p class="imd-pair-choice">
      {field("Map of", down, (to) => onChoose([to === across ? down : across, to]))}{" "}
      {field("and", across, (to) => onChoose([to, to === down ? across : down]))}
    </p>
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
          {signedOn(most)(strength).replace("+", "")} <small>{errorOn(most)(error)}</small>
        </span>
      </Button>
    </li>
  );
}

/** The map of the last pair is shown until that of the next one is there. */
function PairMap({ rules, node, positions }: Where & { positions: Positions }) {
  const { host, view } = useDiff();
  const work = { kind: "map", rules, node, columns: positions } as const;
  const query = useQuery(host, work, view, true);
  const map = query.answer?.map;
  return (
    <>
      <Work query={query} name="map" />
      {map && <HeatMap map={map} busy={query.busy} />}
    </>
  );
}
