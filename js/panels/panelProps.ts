import type { Selection } from "../state/useSelection";

/** The props of every panel; everything else comes from `useDiff` and `useWidget`. */
export interface PanelProps {
  selection: Selection;
}
