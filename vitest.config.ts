import { defineConfig } from "vitest/config";

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    include: ["tests/js/**/*.test.{ts,tsx}"],
    css: false,
    environment: "happy-dom",
    testTimeout: 30_000,
  },
});
