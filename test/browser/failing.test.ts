// What goes wrong in a browser, and what comes of it: pages over plain HTTP, workers that fail, parameters
// that no message carries, servers that break off, and options that cannot be.
import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Route } from "playwright-core";
import type * as door from "../../src/browser.ts";
import { open } from "../../src/index.ts";
import { FileStorage } from "../../src/storage/file.ts";
import { packIndex } from "../../src/tasks/packing.ts";
import {
  launch,
  launchWithProfile,
  NEEDS_CHROMIUM,
  openLibraryPage,
  openPage,
  quotaSetter,
  temporaryFolder,
} from "./chromium.ts";

/** In the pages. */
declare const tarsier: typeof door;

test(
  "pages over plain HTTP write in memory, and are told why they have no folder",
  NEEDS_CHROMIUM,
  async (t) => {
    const { server } = await openLibraryPage(t);
    const browser = await launch(t, ["--host-resolver-rules=MAP intranet.test 127.0.0.1"]);
    const { page } = await openPage(browser, server.url.replace("127.0.0.1", "intranet.test"));
    const found = await page.evaluate(async () => {
      const store = await tarsier.open();
      await store.index("notes").add([{ id: 1, text: "bread" }]);
      const { hits } = await store.index("notes").search("bread");
      const refused = await tarsier
        .open({ folder: "notes" })
        .catch(({ code, message }) => `${code}: ${message}`);
      return { isSecureContext, hits: hits.length, refused: String(refused) };
    });
    deepEqual([found.isSecureContext, found.hits], [false, 1]);
    match(found.refused, /^bad_request: Option `folder`: the browser gives this page no private file system/);
  },
);

test("a worker that failed does not keep its folder", NEEDS_CHROMIUM, async (t) => {
  const { page } = await openLibraryPage(t);
  const found = await page.evaluate(async () => {
    const workers: Worker[] = [];
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (this: Worker, ...given: unknown[]) {
      workers[0] ??= this;
      return postMessage.apply(this, given as never);
    };
    const store = await tarsier.open({ folder: "notes" });
    await store.index("notes").add({ id: 1 });
    workers[0].dispatchEvent(new ErrorEvent("error", { message: "gone" }));
    await store.close();
    return (await (await tarsier.open({ folder: "notes" })).index("notes").search()).hits.length;
  });
  equal(found, 1);
});

test(
  "what no message carries is refused by its place; proxies of any object are copied",
  NEEDS_CHROMIUM,
  async (t) => {
    const { page } = await openLibraryPage(t);
    const found = await page.evaluate(async () => {
      const store = await tarsier.open();
      const notes = store.index("notes");
      await notes.add([{ id: 1, text: "bread" }]);
      class Asked {
        q = "bread";
        limit = 1;
      }
      const bare = Object.assign(Object.create(null), { q: "bread" });
      const counts: number[] = [];
      for (const asked of [new Proxy(new Asked(), {}), new Proxy(bare, {})])
        counts.push((await notes.search(asked)).hits.length);
      const told = ({ code, message }: door.TarsierError) => `${code}: ${message}`;
      const given = [() => 1, { filter: [() => 1] }, { limit: Symbol("x") }] as never[];
      const refusals = await Promise.all(given.map((each) => notes.search(each).then(() => "", told)));
      const signal = new AbortController().signal;
      const unknown = await notes.search({ signal } as never).then(() => "", told);
      return { counts, refusals, unknown: unknown.slice(0, 35) };
    });
    deepEqual(found, {
      counts: [1, 1],
      refusals: [
        "bad_request: The body: expected data, but found a function: `function`",
        "bad_request: Field `.filter[0]`: expected data, but found a function: `function`",
        "bad_request: Field `.limit`: expected data, but found a symbol: `symbol`",
      ],
      unknown: "bad_request: Unknown field `signal`",
    });
  },
);

test(
  "a bundle whose first parts break off is opened; a description that does is no wrong format",
  NEEDS_CHROMIUM,
  async (t) => {
    const folder = temporaryFolder(t);
    const [data, output] = [join(folder, "data"), join(folder, "bundle")];
    const packed = await open({ folder: data, threads: 0 });
    await packed.index("notes").add([{ id: 1, text: "bread" }]);
    await packed.close();
    await packIndex(new FileStorage(data), new FileStorage(output), "notes", "0.1.0");
    const { page } = await openLibraryPage(t, { "/notes/": output });
    const found = await page.evaluate(async () => {
      const { fetch } = globalThis;
      const openBroken = async (name: string) => {
        globalThis.fetch = async (url, ...more) => {
          if (!String(url).endsWith(name)) return fetch(url, ...more);
          const pull = () => Promise.reject(new Error("the line is dead"));
          return new Response(new ReadableStream({ pull }));
        };
        const store = await tarsier.open({ bundle: "/notes" });
        return (await store.index("notes").search("bread")).hits.length;
      };
      return [
        await openBroken("/first.bin"),
        await openBroken("/bundle.json").catch(({ code, message }) => `${code}: ${message}`),
      ];
    });
    equal(found[0], 1);
    match(
      String(found[1]),
      /^io_error: The server of the bundle failed: .*: (the line is dead|Failed to fetch)$/,
    );
  },
);

test("options that are no object, or name no address, are refused in words", NEEDS_CHROMIUM, async (t) => {
  const { page } = await openLibraryPage(t);
  const found = await page.evaluate(async () => {
    const told = ({ code, message }: door.TarsierError) => `${code}: ${message.split(",")[0]}`;
    const options = [null, 5, [], { bundle: "http://[" }] as never[];
    return Promise.all(options.map((each) => tarsier.open(each).then(() => "opened", told)));
  });
  const noObject = "bad_request: The options: expected an object";
  deepEqual(found, [noObject, noObject, noObject, "bad_request: Option `bundle`: expected an address"]);
});

test(
  "where the browser grants no more space, writes are refused, and go on once there is some",
  NEEDS_CHROMIUM,
  async (t) => {
    const { page, server } = await openLibraryPage(t);
    const grant = await quotaSetter(page, server.url);
    await grant(2_000_000);
    const found = await page.evaluate(async () => {
      const store = await tarsier.open({ folder: "notes" });
      Object.assign(globalThis, { store });
      const notes = store.index("notes");
      for (let id = 0; ; id++) {
        const numbers = Array.from(crypto.getRandomValues(new Uint32Array(12_000)));
        const refused = await notes.add({ id, text: numbers.join(" ") }).then(
          () => null,
          ({ code }) => code,
        );
        if (refused !== null) return { refused: String(refused), hits: (await notes.fetch()).total === id };
      }
    });
    deepEqual(found, { refused: "no_space_left_on_device", hits: true });
    await grant();
    const isAdded = await page.evaluate(async () => {
      const notes = (globalThis as unknown as { store: door.Store }).store.index("notes");
      return (await notes.add({ id: -1, text: "bread" })).status;
    });
    equal(isAdded, "succeeded");
  },
);

test("where the browser grants no more space, tasks end, and indexes can be deleted", {
  ...NEEDS_CHROMIUM,
  timeout: 60_000,
}, async (t) => {
  const { server } = await openLibraryPage(t);
  const { page } = await openPage(await launchWithProfile(t), server.url);
  const grant = await quotaSetter(page, server.url);
  await page.evaluate(async () => {
    const store = await tarsier.open({ folder: "notes" });
    Object.assign(globalThis, { store });
    await store.index("old").add({ id: 1 });
  });
  await grant(1);
  const found = await page.evaluate(async () => {
    const { store } = globalThis as unknown as { store: door.Store };
    const told = (write: Promise<{ status: string }>) =>
      write.then(
        ({ status }) => status,
        ({ code, message }) => `${code}: ${message}`,
      );
    const written: string[] = [];
    // The first ones are registered, and find no room for a segment.
    while (!written.at(-1)?.includes("journal.log")) {
      const numbers = Array.from(crypto.getRandomValues(new Uint32Array(300)));
      written.push(await told(store.index("notes").add({ id: 1, text: numbers.join(" ") })));
    }
    const missing = Array.from({ length: 100 }, () => told(store.index("none").drop()));
    const ended = await Promise.all([...missing, told(store.index("old").drop())]);
    return [written[0], written.at(-1), ...new Set(ended)].map((end) => end?.split(":")[0]);
  });
  const full = "no_space_left_on_device";
  deepEqual(found, [full, full, "index_not_found", "succeeded"]);
  await grant();
  const added = await page.evaluate(async () => {
    const { store } = globalThis as unknown as { store: door.Store };
    return (await store.index("notes").add({ id: 2 })).status;
  });
  equal(added, "succeeded");
});

const UNTYPED = "a core of a type that the server does not know is compiled; what cannot be loaded is named";
test(UNTYPED, NEEDS_CHROMIUM, async (t) => {
  const { page } = await openLibraryPage(t);
  const open = () =>
    page.evaluate(async () => {
      try {
        const store = await tarsier.open();
        await store.index("notes").add([{ id: 1, text: "bread" }]);
        return (await store.index("notes").search("bread")).hits.length;
      } catch (error) {
        const { code, message } = error as door.TarsierError;
        return `${code}: ${message}`;
      }
    });
  const contentType = "application/octet-stream";
  const served = async (pattern: string, answer: (route: Route) => Promise<void>) => {
    await page.route(pattern, answer);
    const found = await open();
    await page.unroute(pattern);
    return found;
  };
  const untyped = async (route: Route) => route.fulfill({ response: await route.fetch(), contentType });
  equal(await served("**/*.wasm", untyped), 1);
  const missing = (route: Route) => route.fulfill({ status: 404, body: "not found" });
  const core =
    /^io_error: The core `http:.*\/lib\/core\.single\.wasm` could not be loaded: .* the status 404$/;
  match(String(await served("**/*.wasm", missing)), core);
  const page404 = (route: Route) => route.fulfill({ body: "<!doctype html>" });
  match(String(await served("**/*.wasm", page404)), /^io_error: The core `http.*WebAssembly/);
  const worker = /^io_error: The worker of the store could not be loaded: .*`browser-worker.js`/;
  match(String(await served("**/browser-worker.js", missing)), worker);
  match(String(await served("**/browser-worker.js", untyped)), worker);
  match(String(await served("**/browser-engine.js", missing)), worker);
  equal(await open(), 1);
});

test(
  "a write whose code cannot be loaded tells so, and the next one tries again",
  NEEDS_CHROMIUM,
  async (t) => {
    const { page } = await openLibraryPage(t);
    await page.route("**/browser-later.js", (route) => route.fulfill({ status: 404, body: "not found" }));
    const refused = await page.evaluate(async () => {
      const store = await tarsier.open();
      Object.assign(globalThis, { store });
      const writes = [store.index("notes").add([{ id: 1 }]), store.tasks.cancel({ statuses: ["enqueued"] })];
      const idle = store.tasks.idle();
      const told = writes.map((write) => write.then(String, ({ code, message }) => `${code}: ${message}`));
      await idle;
      return Promise.all(told);
    });
    for (const each of refused) match(each, /^io_error: The code for writes .*: .*\/lib\/browser-later\.js$/);
    await page.unroute("**/browser-later.js");
    const found = await page.evaluate(async () => {
      const { store } = globalThis as unknown as { store: door.Store };
      await store.index("notes").add([{ id: 1 }]);
      return (await store.index("notes").search()).hits.length;
    });
    equal(found, 1);
  },
);
