// A reporter for node:test, used by tools/test.mjs. Reports at the very end which tests failed and why,
// because often only the end of a long run is kept.
const MAX_LINES = 40;

/** Silent while tests run; then prints each failed test as TAP comments: its name, place and error. */
async function* failedTests(events) {
  const failed = [];
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.todo !== undefined) continue;
    if (data.details.error?.failureType !== "subtestsFailed") failed.push(data);
  }
  for (const test of failed) yield report(test);
}

// Node expects a default export.
export { failedTests as default };

function report({ name, file, line, details }) {
  const error = details.error?.cause ?? details.error;
  const told = String(error?.stack ?? error)
    .split("\n")
    .slice(0, MAX_LINES);
  return [`FAILED ${name} (${file}:${line})`, ...told].map((text) => `# ${text}\n`).join("");
}
