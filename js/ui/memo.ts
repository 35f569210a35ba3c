// Components that are drawn again only when their props change: a hover touches a path, not a thousand boxes.

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
