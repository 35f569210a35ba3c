// A line of a bar chart in words and lengths.

import type { ComponentChildren } from "preact";

interface BarProps {
  name: ComponentChildren;
  title: string;
  value: string;
  children: ComponentChildren;
}

export function Bar({ name, title, value, children }: BarProps) {
  return (
    <li title={title}>
      <span class="imd-bar-name">{name}</span>
      <span class="imd-track" aria-hidden="true">
        {children}
      </span>
      <span>{value}</span>
    </li>
  );
}

export const width = (part: number, of: number) => ({
  width: `${of > 0 ? (100 * part) / of : 0}%`,
});
