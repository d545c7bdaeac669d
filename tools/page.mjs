// Makes the page at / one file, build/page.html, from the folder page/: it may load nothing. Called by
// build.mjs; read by src/http/front.ts.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const STYLE = '<link rel="stylesheet" href="page.css">';
const SCRIPT = '<script type="module" src="page.js"></script>';

/** `root`: the folder of the repository. `out`: that of the build. */
export async function makePage(root, out) {
  const folder = join(root, "page");
  const bundled = { entryPoints: [join(folder, "page.js")], bundle: true, format: "esm", charset: "utf8" };
  const { outputFiles } = await build({ ...bundled, write: false });
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const style = readFileSync(join(folder, "page.css"), "utf8");
  // Functions as replacements, so that a `$` in the files stands for itself.
  const page = html
    .replace(STYLE, () => `<style>${style}</style>`)
    .replace(SCRIPT, () => `<script type="module">${outputFiles[0].text}</script>`);
  writeFileSync(join(out, "page.html"), page);
}
