// A still picture stands before the widget in the notebook's file (src/imd_widget/picture.py): for readers who see
// no widget. Where this code runs, the widget is seen, and the picture would be one too many.

const MARK = "imd-widget-picture";
/** How Jupyter's notebooks, and pages that nbconvert makes of them, wrap one output. */
const OUTPUT = ".jp-OutputArea-child";

/** Hides it; what comes back shows it again. */
export function hidePicture(el: HTMLElement): () => void {
  const before = el.closest(OUTPUT)?.previousElementSibling;
  if (!(before instanceof HTMLElement) || !before.innerHTML.includes(MARK)) return () => {};
  const { display } = before.style;
  before.style.display = "none";
  return () => {
    before.style.display = display;
  };
}
