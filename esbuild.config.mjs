import * as esbuild from "esbuild";

const watch = process.argv.includes("--watch");
const common = {
  bundle: true,
  format: "esm",
  target: "es2022",
  platform: "browser",
  // Nested rules are written out: browsers of 2022 do not know them.
  supported: { nesting: false },
  // In place of tsconfig.json, whose JSX option would win over one given here: see js/entry/jsx.ts.
  tsconfigRaw: {
    compilerOptions: { jsx: "react", jsxFactory: "createElement", jsxFragmentFactory: "Fragment" },
  },
  inject: ["js/entry/jsx.ts"],
  minify: !watch,
  charset: "utf8",
  sourcemap: watch ? "inline" : false,
  logLevel: "info",
  outdir: "src/imd_widget/static",
};
// Two doors to the same front-end: a notebook (anywidget) and a page without a kernel.
const builds = [
  { ...common, entryPoints: { widget: "js/entry/widget.ts" } },
  { ...common, format: "iife", entryPoints: { standalone: "js/entry/standalone.ts" } },
];
if (watch) for (const build of builds) await (await esbuild.context(build)).watch();
else await Promise.all(builds.map((build) => esbuild.build(build)));
