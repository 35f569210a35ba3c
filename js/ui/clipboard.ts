// Copies text, also where the page may not use the clipboard API (plain http, some notebook hosts).

export async function copyText(text: string, near: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text, near);
  }
}

function copyBySelection(text: string, near: HTMLElement): boolean {
  const document = near.ownerDocument;
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("aria-hidden", "true");
  area.style.cssText = "position:fixed;left:-9999px;top:0";
  near.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
    near.focus();
  }
}
