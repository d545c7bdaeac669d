// The progress of an import as a terminal shows it.
import { match } from "node:assert/strict";
import { test } from "node:test";
import { ProgressLine } from "../../src/cli/progress-line.ts";

test("of a file its share that was read is shown, of a pipe how much it was", (context) => {
  let now = 0;
  context.mock.method(performance, "now", () => {
    now += 1000;
    return now;
  });
  const shown = (totalBytes: number | null) => {
    const texts: string[] = [];
    const line = new ProgressLine({ isTTY: true, write: (text) => texts.push(text) }, totalBytes);
    line.read(2_000_000);
    return texts.join("");
  };
  match(shown(4_000_000), /^\r\[=+ +\] 50% {2}0 documents sent, 2 MB\/s/);
  match(shown(0), /^\r\[=+\]100% {2}0 documents sent, /);
  match(shown(null), /^\r2 MB read {2}0 documents sent, 2 MB\/s/);
});
