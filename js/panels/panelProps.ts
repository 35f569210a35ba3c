import type { KernelWork } from "../state/useKernelWork";
import type { Selection } from "../state/useSelection";

/** What every panel is given; everything else it takes from `useDiff`. */
export interface PanelProps {
  selection: Selection;
  /** Work of the kernel that a button of a panel starts. */
  work: KernelWork;
}
