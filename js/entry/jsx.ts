// What esbuild compiles JSX to: `createElement(type, props, child)` takes 3 kB less than the `children` props of the
// automatic runtime. (The short name `h` would be hidden by every variable for a height.) TypeScript and vitest use
// the automatic runtime, which builds the same tree.

export { createElement, Fragment } from "preact";
