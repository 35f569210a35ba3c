// A still picture stands after the widget in the notebook's file (src/imd_widget/widget/still.py): for readers who see
// no widget. Where this code runs, the widget is seen, and the picture would be one too many.

const MARK = "imd-widget-picture";
/** How Jupyter's notebooks, and pages that nbconvert makes of them, wrap one output. */
const OUTPUT = ".jp-OutputArea-child";
const CODED = /^data:image\/svg\+xml;base64,(.{0,400})/;

function isPicture(output: Element): boolean {
  if (output.innerHTML.includes(MARK)) return true;
  const coded = CODED.exec(output.querySelector("img")?.src ?? "")?.[1];
  // letters by fours: what is cut off must not leave a part of one
  return coded !== undefined && atob(coded.slice(0, coded.length & ~3)).includes(MARK);
}

/** Hides it as soon as it is there; what comes back shows it again. */
export function hidePicture(el: HTMLElement): () => void {
  let hidden: HTMLElement | null = null;
  let frame = 0;
  const observer = new MutationObserver(() => look());
  const look = () => {
    const next = el.closest(OUTPUT)?.nextElementSibling;
    if (!next) return;
    if (isPicture(next)) {
      observer.disconnect();
      hidden = next as HTMLElement;
      hidden.style.display = "none";
      // an output is there before what it shows
    } else observer.observe(next, { childList: true, subtree: true });
  };
  // a widget is drawn before it is put into the notebook
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
