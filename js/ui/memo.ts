// A component that is drawn again only if a prop changes: a hover then draws a path, not a thousand boxes. It is
// `memo` of preact/compat without the rest of that package. A prop that is left out does not count as changed.

import { Component, type ComponentChild, type ComponentClass } from "preact";

export function memo<P extends object>(draw: (props: P) => ComponentChild): ComponentClass<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const keys = Object.keys(next) as (keyof P)[];
      return keys.some((key) => next[key] !== this.props[key]);
    }

    override render(): ComponentChild {
      return draw(this.props);
    }
  };
}
