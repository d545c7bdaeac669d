// The pages of docs/ and the README tell the truth: their code blocks run, what they show is what comes out,
// and their links lead somewhere.
import { deepEqual, equal, ok } from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { BUILD, NEEDS_CHROMIUM, ROOT } from "../browser/chromium.ts";
import { runInBrowser } from "./browserrun.ts";
import { anchorsOf, type Block, blocksOf, isRun, linksOf } from "./markdown.ts";
import { PageRun } from "./pagerun.ts";
import { compareOutput } from "./shown.ts";

/** Installing, containers and services: what no test machine is asked for. */
const NOT_RUN_COUNT_MAX = 6;
/** What the pages tell their readers to use. */
const NEEDS_CURL = { skip: spawnSync("curl", ["--version"]).error ? "there is no curl" : false };
/** Data and drawings, beside what is run. */
const OTHER_LANGUAGES = ["json", "nginx", "text"];

const names = ["README.md", ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md"),
);
const pages = names.map((name) => {
  const text = readFileSync(join(ROOT, name), "utf8");
  return { name, text, blocks: blocksOf(text) };
});

describe("every page", () => {
  for (const { name, blocks } of pages)
    if (blocks.some(isRun))
      test(`${name} does what it says`, NEEDS_CURL, async (context) => {
        const folder = mkdtempSync(join(tmpdir(), "tarsier-docs-"));
        context.after(() => rmSync(folder, { recursive: true, force: true }));
        const run = await PageRun.start(ROOT, BUILD, folder);
        try {
          await runPage(context, run, folder, blocks.filter(isRun));
        } finally {
          await run.close();
        }
      });

  for (const { name, text } of pages)
    test(`the links of ${name} lead somewhere`, () => deepEqual(linksOf(text).filter(isDead(name)), []));

  test("docs/options.md is made from the tables", () => {
    const page = execFileSync(process.execPath, [join(ROOT, "tools", "optiondocs.mjs"), "--print"]);
    const { text } = pages.find(({ name }) => name === "docs/options.md")!;
    equal(text, page.toString(), "run `npm run docs:options`");
  });

  test("is named by the index", () => {
    const index = pages.find(({ name }) => name === "docs/README.md")!;
    const linked = new Set(linksOf(index.text).map((link) => `docs/${link}`));
    const others = names.filter((name) => name.startsWith("docs/") && name !== index.name);
    deepEqual(
      others.filter((name) => !linked.has(name)),
      [],
    );
  });
});

describe("blocks that are not run", () => {
  const others = pages.flatMap(({ blocks }) => blocks).filter((block) => !isRun(block));

  test("are few", () => {
    const marked = others.filter(({ marks }) => marks.includes("not-run"));
    ok(marked.length <= NOT_RUN_COUNT_MAX, `${marked.length} blocks are marked not-run`);
  });

  test("are data, or say so", () => {
    const unmarked = others.filter(({ marks }) => !marks.includes("not-run"));
    deepEqual(
      unmarked.filter(({ language }) => !OTHER_LANGUAGES.includes(language)),
      [],
    );
    for (const { language, text } of unmarked) if (language === "json") JSON.parse(text);
  });
});

describe("the runner sees what is wrong", () => {
  const block = (language: string, text: string): Block => ({
    language,
    marks: [],
    text,
    line: 1,
    shown: null,
  });
  const differs = (output: string, shown: Block) => {
    try {
      compareOutput(output, shown);
      return false;
    } catch {
      return true;
    }
  };

  test("outputs that differ", () => {
    equal(differs('{"a":1,"duration":"1"}', block("json", '{"a":1}')), false);
    equal(differs('{"a":1,"b":2}', block("json", '{"a":1}')), true);
    equal(differs('{"a":1,"b":[1,2]}', block("json", '{"b":[1,"…"],"…":"…"}')), false);
    equal(differs('{"a":1,"b":[2]}', block("json", '{"b":[1,"…"],"…":"…"}')), true);
    equal(differs("one 17 two\n", block("text", "one … two")), false);
    equal(differs("one 17 two\n", block("text", "one … three")), true);
  });

  test("blocks with their outputs", () => {
    const page = "# A\n```sh\necho\n```\n\n```json\n1\n```\n\ntext\n\n```json\n2\n```\n```ts not-run\n```\n";
    deepEqual(
      blocksOf(page).map(({ language, marks, shown }) => [language, marks.length, shown?.text]),
      [
        ["sh", 0, "1"],
        ["json", 0, undefined],
        ["ts", 1, undefined],
      ],
    );
  });
});

async function runPage(context: TestContext, run: PageRun, folder: string, blocks: Block[]): Promise<void> {
  for (const block of blocks.filter(({ language }) => language === "sh"))
    await run.runShell(block).catch((error: Error) => {
      throw new Error(`line ${block.line}: ${block.text}\n${error.message}`);
    });
  const programs = blocks.filter(({ language }) => language !== "sh");
  const isForBrowsers = ({ marks }: Block) => marks.includes("browser");
  const own = programs.filter((block) => !isForBrowsers(block));
  if (own.length > 0) await run.runProgram(own);
  const theirs = programs.filter(isForBrowsers);
  if (theirs.length === 0) return;
  await run.checkTypes(theirs);
  if (NEEDS_CHROMIUM.skip) context.diagnostic(`not tried in a browser: ${NEEDS_CHROMIUM.skip}`);
  else await runInBrowser(context, folder, theirs);
}

function isDead(page: string): (link: string) => boolean {
  return (link) => {
    const [path, anchor] = link.split("#");
    const file = path === "" ? join(ROOT, page) : join(ROOT, dirname(page), path);
    if (!existsSync(file)) return true;
    if (anchor === undefined || statSync(file).isDirectory()) return false;
    return !anchorsOf(readFileSync(file, "utf8")).includes(anchor);
  };
}
