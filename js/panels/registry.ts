// The tabs of the panel, in their order. A new tab is a component, a line here and a value of the trait `tab`.

import type { FunctionComponent } from "preact";
import type { Tab } from "../protocol/types";
import { NodePanel } from "./NodePanel";
import type { PanelProps } from "./panelProps";
import { RowsPanel } from "./RowsPanel";
import { RulesPanel } from "./RulesPanel";
import { WhyPanel } from "./WhyPanel";

interface PanelEntry {
  /** What is written on the tab. */
  id: Tab;
  title: string;
  component: FunctionComponent<PanelProps>;
}

export const PANELS = [
  { id: "Rules", title: "Where the models differ, and their outputs there", component: RulesPanel },
  { id: "Rows", title: "Rows of the selection", component: RowsPanel },
  { id: "Node", title: "Details of the selected node", component: NodePanel },
  { id: "Why", title: "Why the models differ on the selection", component: WhyPanel },
] as const satisfies readonly PanelEntry[];

export type PanelId = (typeof PANELS)[number]["id"];
