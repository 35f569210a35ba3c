import { defineConfig } from "vitest/config";

const stub = new URL("js/tree/no-transition.ts", import.meta.url).pathname;
const one = new URL("js/tree/one-element.ts", import.meta.url).pathname;

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  // As in esbuild.config.mjs: tests run what is shipped.
  resolve: { alias: { "d3-transition": stub, "d3-interpolate": stub, "d3-selection": one } },
  test: {
    include: ["tests/js/**/*.test.{ts,tsx}"],
    css: false,
    environment: "happy-dom",
    testTimeout: 30_000,
    // An alias inside a dependency holds only where that dependency is transformed too.
    server: { deps: { inline: [/d3-zoom/, /d3-drag/] } },
  },
});
