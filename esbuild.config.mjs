import * as esbuild from "esbuild";

const watch = process.argv.includes("--watch");
const common = {
  bundle: true,
  format: "esm",
  target: "es2022",
  platform: "browser",
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: !watch,
  sourcemap: watch ? "inline" : false,
  logLevel: "info",
  // The camera glides by CSS, and zooms one element: d3's own transitions and selections would be
  // 50 kB that never run.
  alias: {
    "d3-transition": "./js/tree/no-transition.ts",
    "d3-interpolate": "./js/tree/no-transition.ts",
    "d3-selection": "./js/tree/one-element.ts",
  },
  outdir: "src/imd_widget/static",
};
// Two doors to the same front-end: a notebook (anywidget) and a page without a kernel.
const builds = [
  { ...common, entryPoints: { widget: "js/widget.ts" } },
  { ...common, format: "iife", entryPoints: { standalone: "js/standalone.ts" } },
];
if (watch) for (const build of builds) await (await esbuild.context(build)).watch();
else await Promise.all(builds.map((build) => esbuild.build(build)));
