// The tabs at the right, and the panel of the one that is chosen. Its CSS comes first: single panels override it.

import "./Panel.css";
import { useDiff } from "../state/context";
import { Button } from "../ui/Button";
import type { PanelProps } from "./panelProps";
import { PANELS, type PanelId } from "./registry";

const STEPS: ReadonlyMap<string, number> = new Map([
  ["ArrowRight", 1],
  ["ArrowLeft", -1],
  ["Home", -Infinity],
  ["End", Infinity],
]);

/** The index that a step leads to: an arrow goes round, Home and End do not. */
function stepped(from: number, step: number): number {
  const to = from + step;
  if (Number.isFinite(step)) return (to + PANELS.length) % PANELS.length;
  return to < 0 ? 0 : PANELS.length - 1;
}

export function Panel({ selection }: PanelProps) {
  const { host, state, uid } = useDiff();
  // A value of the trait that has no panel is an error of types here.
  const tab: PanelId = state.tab;
  const chosen = PANELS.findIndex(({ id }) => id === tab);
  const Chosen = PANELS[chosen]?.component;

  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const step = STEPS.get(event.key);
    // With a modifier it is a key of the browser.
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = stepped(chosen, step);
    host.set({ tab: PANELS[next]?.id });
    (event.currentTarget.children[next] as HTMLElement).focus();
  };

  return (
    <section class="imd-panel">
      <div class="imd-tabs" role="tablist" aria-label="Details" onKeyDown={onKeyDown}>
        {PANELS.map(({ id, title }) => (
          <Button
            key={id}
            role="tab"
            id={`${uid}-${id}`}
            data-tab={id}
            aria-selected={id === tab}
            aria-controls={`${uid}-panel`}
            tabIndex={id === tab ? 0 : -1}
            title={title}
            onClick={() => host.set({ tab: id })}
          >
            {id}
          </Button>
        ))}
      </div>
      {/* It takes the focus when a control in it that had the focus is removed. */}
      <div
        class="imd-tab"
        role="tabpanel"
        id={`${uid}-panel`}
        aria-labelledby={`${uid}-${tab}`}
        tabIndex={-1}
      >
        {Chosen && <Chosen selection={selection} />}
      </div>
    </section>
  );
}
