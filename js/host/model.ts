// The part of an anywidget model that the front-end uses. A page without a kernel implements it too (pageModel.ts).

import type { Request, WidgetState } from "../protocol/types";

export interface Model {
  get<K extends keyof WidgetState>(key: K): WidgetState[K];
  set<K extends keyof WidgetState>(key: K, value: WidgetState[K]): void;
  on(event: string, callback: (...args: never[]) => void): void;
  off(event: string, callback: (...args: never[]) => void): void;
  save_changes(): void;
  send(content: Request): void;
  widget_manager?: unknown;
}
