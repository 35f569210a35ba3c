// One link of the tree, with what is written on it.

import { memo } from "../ui/memo";
import type { Link } from "./layout";
import "./Edge.css";

interface EdgeProps {
  link: Link;
  /** null: nothing is highlighted, so nothing is dimmed. */
  highlighted: boolean | null;
  plain: boolean;
}

export const Edge = memo(({ link, highlighted, plain }: EdgeProps) => {
  const classes = ["imd-link", `is-side${link.side}`];
  if (link.bracket) classes.push("is-bracket");
  if (highlighted !== null) classes.push(highlighted ? "is-lit" : "is-dim");
  const dash = link.side === 2 ? `${link.width + 4} ${link.width + 2}` : undefined;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of lines takes no focus; the boxes say yes and no themselves
    <g class={classes.join(" ")} data-link={link.id} aria-hidden="true">
      <path d={link.path} stroke-width={link.width} stroke-dasharray={dash} />
      {!plain && (
        <text
          style={{ transform: `translate(${link.labelX}px, ${link.labelY}px)` }}
          text-anchor={link.labelAnchor}
        >
          {link.label}
        </text>
      )}
    </g>
  );
});
