import type { Selection } from "../state/useSelection";

/** What every panel is given; everything else it takes from `useDiff`. */
export interface PanelProps {
  selection: Selection;
}
