// A reporter of node:test, named by tools/test.mjs. Says at the very end which tests failed, and why: of a
// long run often the end alone is kept.
const MAX_LINES = 40;

/** Nothing while tests run; then each failed test as comments of TAP: its name and place, and its error. */
async function* failedTests(events) {
  const failed = [];
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.todo !== undefined) continue;
    if (data.details.error?.failureType !== "subtestsFailed") failed.push(data);
  }
  for (const test of failed) yield report(test);
}

// Node asks for a default one.
export { failedTests as default };

function report({ name, file, line, details }) {
  const error = details.error?.cause ?? details.error;
  const told = String(error?.stack ?? error)
    .split("\n")
    .slice(0, MAX_LINES);
  return [`FAILED ${name} (${file}:${line})`, ...told].map((text) => `# ${text}\n`).join("");
}
