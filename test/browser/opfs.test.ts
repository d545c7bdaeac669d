// The storage in the browser's private file system, in a real browser.
import { deepEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "./builtins/test.ts";
import { bundlePage, launch, NEEDS_CHROMIUM, openPage, serve } from "./chromium.ts";

test("OPFS does what every storage does, and survives", NEEDS_CHROMIUM, async (context) => {
  const { url } = await serve(context, { "/": await bundlePage(context, "storage.worker") });
  const { page, errors } = await openPage(await launch(context), url);
  const outcomes = await page.evaluate(
    () =>
      new Promise<Outcome[]>((resolve, reject) => {
        const worker = new Worker("/storage.worker.js", { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => reject(new Error(event.message));
      }),
  );
  deepEqual(
    outcomes.filter(({ error }) => error !== null),
    [],
  );
  ok(outcomes.length > 15);
  deepEqual(errors, []);
});
