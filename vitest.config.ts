import { defineConfig } from "vitest/config";

export default defineConfig({
  // As in esbuild.config.mjs: tests run what is shipped.
  resolve: {
    alias: { "d3-transition": new URL("js/tree/no-transition.ts", import.meta.url).pathname },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: { include: ["tests/js/**/*.test.{ts,tsx}"], css: false, environment: "happy-dom", server: { deps: { inline: [/^d3-/, /d3-/] } } },
});
