// Writes docs/errors.md, the page that every error links to, from the table in src/errors.ts. Called by `npm
// run docs:errors`. With `--print` it only prints the page, for the test that keeps the page up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { errorTable } from "../build/src/errors.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const isPrinted = process.argv.includes("--print");

const TYPES = {
  invalid_request: "the request is wrong: sent again as it is, it fails again",
  auth: "the key of the request does not allow it, or there is none",
  internal: "the server failed",
  system: "the machine, or another server, failed or has no room left",
};

const HEAD = `# Errors

A request that is refused, and a task that failed, has an error object:

\`\`\`json
{
  "message": "what was found, where, and what is allowed",
  "code": "index_not_found",
  "type": "invalid_request",
  "link": "https://tarsier.dev/docs/errors#index_not_found"
}
\`\`\`

Programs look at \`code\`: it never changes its meaning. Messages are for people, and may become better. The
status is that of an answer; the error of a task comes with the task. The words in braces are filled in.

| type | meaning |
|---|---|
${Object.entries(TYPES)
  .map(([type, meaning]) => `| \`${type}\` | ${meaning} |`)
  .join("\n")}

This page is made from \`src/errors.ts\` by \`npm run docs:errors\`.
`;

/** The headings in the table: comments in front of a group of rows. */
function* groups(source) {
  const rows = source.slice(source.indexOf("export const errorTable"), source.indexOf("} satisfies Record"));
  for (const line of rows.split("\n")) {
    const heading = /^ {2}\/\/ (.+)$/.exec(line)?.[1];
    const code = /^ {2}(\w+): /.exec(line)?.[1];
    if (heading) yield { heading };
    if (code) yield { code };
  }
}

function section(code) {
  const { status, type, message } = errorTable[code];
  const words =
    message === "{message}" ? "The message tells which part of the request it is about." : `> ${message}`;
  return `### ${code}\n\nStatus ${status}, type \`${type}\`.\n\n${words}\n`;
}

const parts = [...groups(readFileSync(join(root, "src", "errors.ts"), "utf8"))];
const shown = parts.flatMap(({ code }) => code ?? []);
const missing = Object.keys(errorTable).filter((code) => !shown.includes(code));
if (missing.length > 0) throw new Error(`not found in the source of the table: ${missing.join(", ")}`);

const page = [HEAD, ...parts.map(({ heading, code }) => (heading ? `## ${heading}\n` : section(code)))].join(
  "\n",
);
if (isPrinted) process.stdout.write(page);
else {
  writeFileSync(join(root, "docs", "errors.md"), page);
  process.stdout.write("docs/errors.md is written\n");
}
