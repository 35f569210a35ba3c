// Downloads a file that the kernel wrote.

export function download(text: string, name: string, type: string, near: HTMLElement): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = near.ownerDocument.createElement("a");
  link.href = address;
  link.download = name;
  // Some browsers ignore a click on a link that is not in the document.
  near.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
