// Keys that are pressed in the widget are the widget's: a notebook must not take them for its own and delete a cell.
//
// Notebooks listen above us, each in its way, so that one measure is not enough:
// - Lumino (JupyterLab, Notebook 7) goes up from the element that has the focus, and the shortcuts of command mode have a
//   selector that matches that element itself (`.jp-Notebook.jp-mod-commandMode … :focus`). It stops at an element with
//   `data-lm-suppress-shortcuts`, but only if no element before that one matches: the mark has to be on the very element
//   that has the focus, on an ancestor it comes too late.
// - JupyterLab 4.6.6 listens on the document in the bubble phase (`bubblingKeydown: true`), Notebook 7.6.5, as older
//   JupyterLabs, in the capture phase, where nothing that we stop is early enough: there the mark is all there is.
// - VS Code and marimo know no mark; they listen in the bubble phase, in which a key can be stopped.
// Whatever gets the focus is marked when it gets it: a control that is added later needs to know nothing about this.

const MARK = "data-lm-suppress-shortcuts";

/** A save is what people press without looking where the focus is; it is the one key that the notebook may have. */
function isSave(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
  return key.toLowerCase() === "s" && ctrlKey !== metaKey && !shiftKey && !altKey;
}

/** The same key once more, pressed beside the widget and not in it. */
function passOn(event: KeyboardEvent, beside: Node): void {
  const { key, code, keyCode, ctrlKey, metaKey } = event;
  const same = { key, code, keyCode, ctrlKey, metaKey };
  const ways = { bubbles: true, cancelable: true, composed: true };
  if (!beside.dispatchEvent(new KeyboardEvent("keydown", { ...same, ...ways })))
    event.preventDefault();
}

function canHaveFocus(element: Element): boolean {
  const seen = element.checkVisibility?.() ?? true;
  return element.isConnected && seen && !element.matches(":disabled");
}

/** What has the focus, on the page or in the shadow root (as in marimo) that an element is in. */
function focusedNear(el: HTMLElement): Element | null {
  const { activeElement, body } = el.ownerDocument;
  const active = (el.getRootNode() as Partial<ShadowRoot>).activeElement ?? activeElement;
  return active === body ? null : active;
}

/**
 * Keeps what is pressed inside an element from the notebook around it, and the focus from falling out of it: where a
 * focused control goes or is disabled, the focus goes to the nearest part around it that can have it. Otherwise it would be
 * for the notebook to say who gets the next key.
 */
export function keepKeys(el: HTMLElement): () => void {
  const watch = new AbortController();
  const { signal } = watch;
  /** What has the focus, and all that is around it: of what is gone nobody can tell where it was. */
  let around: Element[] = [];

  const settle = (changed: boolean) => {
    const has = focusedNear(el);
    const inside = has !== null && el.contains(has);
    // a disabled control has the focus only until the browser notices
    if (inside && !has.matches(":disabled")) return;
    const lost = around;
    around = [];
    if (has && !inside) return;
    const [had] = lost;
    const next = lost.find(
      (each) => (each === had || each.hasAttribute("tabindex")) && canHaveFocus(each),
    );
    // a control to which nothing has happened was left on purpose
    if (changed || next !== had) (next as HTMLElement | undefined)?.focus({ preventScroll: true });
  };
  // A control that is removed, disabled or moved to another place; not every browser has an event for it.
  const observer = new MutationObserver(() => settle(true));
  observer.observe(el, { subtree: true, childList: true, attributeFilter: ["disabled"] });

  el.addEventListener(
    "focusin",
    ({ target }) => {
      around = [];
      for (let at = target as Element | null; at && at !== el; at = at.parentElement)
        around.push(at);
      around[0]?.setAttribute(MARK, "true");
    },
    { signal },
  );
  el.addEventListener(
    "focusout",
    // Chromium tells of a control that is about to be removed while it is still there.
    () => queueMicrotask(() => settle(observer.takeRecords().length > 0)),
    { signal },
  );
  el.addEventListener(
    "keydown",
    (event) => {
      event.stopPropagation();
      if (isSave(event) && !event.defaultPrevented && el.parentNode) passOn(event, el.parentNode);
    },
    { signal },
  );
  return () => {
    watch.abort();
    observer.disconnect();
  };
}
