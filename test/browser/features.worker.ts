// Runs the features of the library (test/runtime) in a page, and tells what came of each to the address that
// stands behind the `#` of its own. features.ts opens it.
import { libraryFeatures } from "../runtime/library.ts";

/** Pages have one worker for everything. */
const { "library in a folder, threads": _threads, ...features } = libraryFeatures;

const tell = (result: unknown) =>
  fetch(location.hash.slice(1), { method: "POST", mode: "no-cors", body: JSON.stringify(result) });

for (const [feature, check] of Object.entries(features)) {
  const failed = (error: Error) => `${error.message}\n${error.stack}`;
  await tell({ feature, error: await check().then(() => null, failed) });
}
await tell(null);
