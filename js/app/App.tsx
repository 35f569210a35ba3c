// The root of the widget: theme, keys, help and paper. What it shows is one diff, or a matrix of models with the diff of a
// pair below it.

import { useRef, useState } from "preact/hooks";
import type { Host } from "../host/host";
import { type Widget, WidgetProvider } from "../state/context";
import { useFittedHeight } from "../state/useFittedHeight";
import { useFullScreen } from "../state/useFullScreen";
import { useHostState } from "../state/useHostDiff";
import { useKernelWork } from "../state/useKernelWork";
import { usePrinting } from "../state/usePrinting";
import { styleIn, useRoom } from "../state/useRoom";
import { useShortcuts } from "../state/useShortcuts";
import { useTheme } from "../state/useTheme";
import type { TreeControls } from "../tree/useCamera";
import { Comparison } from "./Comparison";
import { Corner } from "./Corner";
import { DiffFrame } from "./DiffFrame";
import "./App.css";

/** The least height of the widget, in pixels. */
const LEAST = 320;

export function App({ host }: { host: Host }) {
  const state = useHostState(host);
  const el = useRef<HTMLDivElement>(null);
  const controls = useRef<TreeControls>(null);
  const dismissInDiff = useRef(() => false);
  const [help, setHelp] = useState(false);
  const work = useKernelWork(host);
  const theme = useTheme(state.theme, el);

  /** Clears one thing at a time: the help, the traced row, the selection. */
  const dismiss = () => {
    setHelp(false);
    return help || dismissInDiff.current();
  };
  const toggleHelp = () => setHelp(!help);
  const closeHelp = () => {
    setHelp(false);
    el.current?.querySelector<HTMLElement>('[data-testid="imd-help"]')?.focus();
  };
  const printing = usePrinting(el);
  const full = useFullScreen(el, work.notify);
  const room = useRoom(el);
  const { height, narrow, fit } = useFittedHeight(el, state.height, full.on || printing);
  const onKeyDown = useShortcuts({ el, host, controls, dismiss, toggleHelp });

  const widget: Widget = {
    ...{ host, state, work, controls, dismissInDiff, dismiss, printing, help, closeHelp },
    onSave: (name) => el.current && work.save(name, el.current),
    height,
    fitHeight: fit,
    corner: <Corner full={full} helpOpen={help} onHelp={toggleHelp} />,
  };
  const { comparison } = state;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys work wherever the focus is inside the widget, and a click anywhere brings it there
    <div
      ref={el}
      class={`imd-root${comparison ? " is-many" : ""}`}
      data-theme={printing ? "light" : theme}
      tabIndex={-1}
      style={
        full.on
          ? { "--imd-height": "100vh" }
          : { ...styleIn(printing ? null : room, height, LEAST), "--imd-narrow": `${narrow}px` }
      }
      onKeyDown={onKeyDown}
    >
      <WidgetProvider value={widget}>
        {comparison ? <Comparison comparison={comparison} /> : <DiffFrame />}
      </WidgetProvider>
    </div>
  );
}
