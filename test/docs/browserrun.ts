// Runs the blocks of a page that are meant for browsers, as one program in a page of Chromium. Beside it are
// what the page's reader has put into public/, and the built library. Used by docs.test.ts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD, type Cleanups, launch, openPage, serve } from "../browser/chromium.ts";
import type { Block } from "./markdown.ts";
import { compareOutputs, programOf } from "./pagerun.ts";

const PROGRAM_MS_MAX = 120_000;
const FRAME = `<!doctype html><title>docs</title><input><ol></ol>
<script type="importmap">{ "imports": { "tarsier/browser": "/lib/browser.js" } }</script>`;

export async function runInBrowser(
  context: Cleanups,
  folder: string,
  blocks: readonly Block[],
): Promise<void> {
  const pages = join(folder, "public");
  mkdirSync(pages, { recursive: true });
  writeFileSync(join(pages, "index.html"), FRAME);
  writeFileSync(join(pages, "program.js"), programOf(blocks));
  const lib = join(BUILD, "bundle", "browser");
  const { url } = await serve(context, { "/": pages, "/lib/": lib });
  const { page, errors } = await openPage(await launch(context), url);
  let output = "";
  page.on("console", (message) => {
    output += `${message.text()}\n`;
  });
  const told = page.evaluate('import("/program.js").then(() => null, String)');
  const timer = setTimeout(() => void page.close(), PROGRAM_MS_MAX);
  const problem = await told;
  clearTimeout(timer);
  if (problem !== null || errors.length > 0) throw new Error([problem, ...errors, output].join("\n"));
  compareOutputs(output, blocks);
}
