// The house rules as a test: each complaint names the file and the line. The rules themselves are tested
// below with code that breaks them.
import { deepEqual, equal, fail } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { functionsOf } from "./tidy/functions.ts";
import {
  circles,
  importsOf,
  namesOfNothing,
  unknownParts,
  unusedFiles,
  wrongDirections,
} from "./tidy/imports.ts";
import { rules } from "./tidy/rules.ts";
import { codeOf, findRoot, readSources } from "./tidy/sources.ts";

const SHOWN_COUNT_MAX = 40;

const sources = readSources();

function nothing(complaints: readonly string[]): void {
  const more = complaints.length > SHOWN_COUNT_MAX ? [`and ${complaints.length - SHOWN_COUNT_MAX} more`] : [];
  if (complaints.length > 0) fail([...complaints.slice(0, SHOWN_COUNT_MAX), ...more].join("\n"));
}

describe("in every file", () => {
  for (const [name, rule] of Object.entries(rules)) {
    test(name, () => nothing(sources.flatMap(rule)));
  }
});

test("a checkout has the same bytes where git is set to write CRLF", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-checkout-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  // Variables of a hook or a rebase that runs the tests would lead to the repository, and add the file there.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "core.autocrlf=true", ...args], { cwd: folder, env });
  git("init", "--quiet");
  const attributes = join(findRoot(), ".gitattributes");
  if (existsSync(attributes)) copyFileSync(attributes, join(folder, ".gitattributes"));
  const file = join(folder, "lines.ts");
  writeFileSync(file, "a\nb\n");
  git("add", "lines.ts");
  rmSync(file);
  git("checkout", "--", "lines.ts");
  equal(readFileSync(file, "utf8"), "a\nb\n");
});

describe("between files", () => {
  test("imports go down the layers", () => nothing(wrongDirections(sources)));
  test("no files import one another in a circle", () => nothing(circles(sources)));
  test("every part of src has its place in the layers", () => nothing(unknownParts(sources)));
  test("somebody asks for every file", () => nothing(unusedFiles(sources)));
  test("files that a header names are there", () => nothing(namesOfNothing(sources)));
});

describe("the rules see what breaks them", () => {
  const broken: Record<string, [path: string, text: string]> = {
    "lines have at most 110 columns": ["src/a.ts", `// ${"x".repeat(108)}\n`],
    "files have at most 500 lines": ["src/a.ts", "//\n".repeat(501)],
    "functions have at most 70 lines": ["src/a.ts", `//\nfunction f() {\n${"g();\n".repeat(69)}}\n`],
    "the first line of a file is a comment": ["src/a.ts", "#!/usr/bin/env node\nexport const a = 1;\n"],
    "nothing is of type any": ["src/a.ts", "//\nlet a: any;\n"],
    "exports have names": ["src/a.ts", "//\nexport default 1;\n"],
    "what is left to do has the name of who does it": ["src/a.ts", `// ${"TO"}${"DO"}: later\n`],
    "only commands print": ["src/http/a.ts", "//\nconsole.log(1);\n"],
    "only commands end the process": ["src/http/a.ts", "//\nprocess.exit(1);\n"],
    "no text is run as code": ["src/a.ts", `//\n${"ev"}${"al("}"1");\n`],
    "no test is left alone": ["test/a.test.ts", `//\n${"test.on"}${"ly("}"a");\n`],
    "MessagePack is read without native code": ["src/a.ts", `//\nimport { Packr } ${"fr"}om "msgpackr";\n`],
    "no path of a machine is named": ["README.md", `see ${"/ho"}${"me/me"}/file\n`],
  };
  for (const [name, rule] of Object.entries(rules)) {
    test(name, () => {
      const [path, text] = broken[name];
      equal(rule({ path, text }).length, 1);
      equal(rule({ path, text: "// A sound file.\nexport const a = 1;\n" }).length, 0);
    });
  }

  test("the direction of imports", () => {
    const source = (path: string, target: string) => ({ path, text: `import { a } from "${target}";` });
    const wrong = [
      source("src/engine/a.ts", "../http/b.ts"),
      source("src/storage/a.ts", "../segment/b.ts"),
      source("src/core/a.ts", "../engine/b.ts"),
      source("src/engine/a.ts", "../cli.ts"),
      source("src/engine/a.ts", "../../test/a.ts"),
      source("assembly/a.ts", "../src/core/b.ts"),
    ];
    equal(wrongDirections(wrong).length, wrong.length);
    const right = [
      source("src/http/a.ts", "../tasks/b.ts"),
      source("src/http/a.ts", "../errors.ts"),
      source("src/segment/a.ts", "../core/b.ts"),
      source("src/cli/a.ts", "../node.ts"),
      source("test/a.test.ts", "../src/engine/b.ts"),
    ];
    deepEqual(wrongDirections(right), []);
  });

  test("imports in a circle", () => {
    const source = (path: string, ...targets: string[]) => ({
      path,
      text: targets.map((target) => `import type { A } from "./${target}";\n`).join(""),
    });
    const sources = [
      source("src/a.ts", "b.ts"),
      source("src/b.ts", "c.ts", "d.ts"),
      source("src/c.ts", "b.ts", "e.ts"),
      source("src/d.ts"),
      { path: "src/e.ts", text: 'new Worker(new URL("./b.ts", import.meta.url));' },
    ];
    deepEqual(circles(sources), ["src/b.ts", "src/c.ts", "src/b.ts", "src/c.ts"]);
    const folders = [
      source("src/engine/search/a.ts", "b.ts", "../facets/c.ts"),
      source("src/engine/search/b.ts"),
      source("src/engine/facets/c.ts", "../search/b.ts"),
    ];
    deepEqual(circles(folders), ["src/engine/search", "src/engine/facets"]);
  });

  test("names of files that are not there", () => {
    const sources = [
      {
        path: "src/a.ts",
        text: "// Called by engine/b.ts and ../c.ts, as d.ts says.\nexport const a = 1;\n",
      },
      { path: "src/engine/b.ts", text: "" },
      { path: "test/c.ts", text: "" },
    ];
    deepEqual(namesOfNothing(sources), ["src/a.ts names d.ts"]);
  });

  test("files that nobody asks for", () => {
    const sources = [
      {
        path: "src/cli.ts",
        text: 'await import("./used.ts"); new Worker(new URL("./worker.js", import.meta.url));',
      },
      { path: "src/used.ts", text: "" },
      { path: "src/worker.ts", text: "" },
      { path: "src/unused.ts", text: "" },
    ];
    deepEqual(unusedFiles(sources), ["src/unused.ts"]);
    deepEqual(importsOf(sources[0]), ["src/used.ts", "src/worker.ts"]);
  });

  test("functions are found and measured, other blocks are not", () => {
    const text = [
      "const a = { b: 1 };",
      "export async function first(",
      "  x: number,",
      "): Promise<void> {",
      '  if (x) { return "}"; }',
      "}",
      "class C {",
      "  #second<T>(x: T): { y: T } {",
      "    return { y: x };",
      "  }",
      "}",
      "test('third', async () => {",
      "  // }",
      "});",
    ].join("\n");
    deepEqual(
      functionsOf(text).map(({ line, lines }) => [line, lines]),
      [
        [2, 5],
        [8, 3],
        [12, 3],
      ],
    );
  });

  test("comments, texts and regular expressions are no code", () => {
    equal(codeOf('a("x") // y\n/* z\n */ b(/[/"]+/)').replace(/ +/g, " "), "a( ) \n \n b( )");
  });
});
