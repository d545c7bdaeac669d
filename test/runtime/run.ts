// Runs the features in the runtime that runs this file (with an argument, those whose names contain it), and
// prints a line of JSON for each: {feature, error}. Called by tools/runtimes.mjs.
import { features } from "./features.ts";

const [part = ""] = process.argv.slice(2);
let failures = 0;
for (const [feature, check] of Object.entries(features)) {
  if (!feature.includes(part)) continue;
  let error: string | null = null;
  try {
    await check();
  } catch (cause) {
    failures++;
    error = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  }
  process.stdout.write(`${JSON.stringify({ feature, error })}\n`);
}
process.exitCode = failures === 0 ? 0 : 1;
