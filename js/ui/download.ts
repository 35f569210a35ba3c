// A page that the kernel wrote, as a download.

export function download(page: string, name: string, near: HTMLElement): void {
  const address = URL.createObjectURL(new Blob([page], { type: "text/html" }));
  const link = near.ownerDocument.createElement("a");
  link.href = address;
  link.download = name;
  // inside the widget: a link that is nowhere does nothing in some browsers
  near.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
