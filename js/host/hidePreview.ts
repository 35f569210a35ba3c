// Hides the static preview after the widget in a notebook file (src/imd_widget/widget/preview_formats.py), which is for
// readers that cannot run the widget.

const MARK = "imd-widget-picture";
/** How Jupyter's notebooks, and pages that nbconvert makes of them, wrap one output. */
const OUTPUT = ".jp-OutputArea-child";
const CODED = /^data:image\/svg\+xml;base64,(.{0,400})/;

function isPreview(output: Element): boolean {
  if (output.innerHTML.includes(MARK)) return true;
  const coded = CODED.exec(output.querySelector("img")?.src ?? "")?.[1];
  // Base64 is decoded by groups of four letters.
  return coded !== undefined && atob(coded.slice(0, coded.length & ~3)).includes(MARK);
}

/** Hides the picture as soon as it is drawn; returns how to show it again. */
export function hidePreview(el: HTMLElement): () => void {
  let hidden: HTMLElement | null = null;
  let frame = 0;
  const observer = new MutationObserver(() => look());
  const look = () => {
    const next = el.closest(OUTPUT)?.nextElementSibling;
    if (!next) return;
    if (isPreview(next)) {
      observer.disconnect();
      hidden = next as HTMLElement;
      hidden.style.display = "none";
      // An output is added before what it shows.
    } else observer.observe(next, { childList: true, subtree: true });
  };
  // A widget is drawn before it is put into the notebook.
  const begin = () => {
    if (!el.isConnected) {
      frame = requestAnimationFrame(begin);
      return;
    }
    const area = el.closest(OUTPUT)?.parentElement;
    if (area) observer.observe(area, { childList: true });
    look();
  };
  begin();
  return () => {
    cancelAnimationFrame(frame);
    observer.disconnect();
    if (hidden) hidden.style.display = "";
  };
}
