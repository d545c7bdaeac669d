// The page's side of a store whose engine runs in a worker, before a worker that notes what it is sent.
import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { after, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Reply, Request } from "../../src/browser/messages.ts";
import type { OpenOptions } from "../../src/browser/openoptions.ts";
import { openRemote } from "../../src/browser/remoteoperations.ts";
import { deferred } from "../../src/deferred.ts";
import type { Addition } from "../../src/library/operations.ts";
import { errorData } from "../../src/threaddata.ts";

const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
const ADDITION = {} as Addition;

const original = globalThis.fetch;
globalThis.fetch = async () => new Response(EMPTY_MODULE);
after(() => {
  globalThis.fetch = original;
});

class NotingWorker {
  /** All but the core, which comes when it is compiled. */
  readonly sent: Request[] = [];
  readonly core = deferred<WebAssembly.Module>();
  isEnded = false;
  onmessage: (event: { data: Reply }) => void = () => {};
  onerror: (event: { message?: string; preventDefault(): void }) => void = () => {};

  postMessage(request: Request, transfer: Transferable[] = []): void {
    if ("core" in request) this.core.resolve(request.core);
    else this.sent.push(structuredClone(request, { transfer }));
  }

  terminate(): void {
    this.isEnded = true;
  }

  /** What calls were sent, by their methods. */
  get methods(): string[] {
    return this.sent.flatMap((request) => ("method" in request ? request.method : []));
  }

  reply(data: Reply): void {
    this.onmessage({ data });
  }
}

const openOver = (worker: NotingWorker, options: OpenOptions = {}) =>
  openRemote(worker as unknown as Worker, options);

async function opened() {
  const worker = new NotingWorker();
  const opening = openOver(worker);
  worker.reply({ opened: true });
  return { worker, operations: await opening };
}

/** Pieces of documents, and whether their source was left. */
function source(...pieces: (Uint8Array | Error)[]) {
  const state = { isLeft: false };
  const read = async function* () {
    try {
      for (const piece of pieces) {
        if (piece instanceof Error) throw piece;
        yield piece;
      }
    } finally {
      state.isLeft = true;
    }
  };
  return { state, pieces: read() };
}

test("a store is opened with its options and the core, and tells how far it is", async () => {
  const worker = new NotingWorker();
  const told: number[][] = [];
  const opening = openOver(worker, {
    folder: "notes",
    threads: undefined,
    onProgress: (...given) => told.push(given),
  });
  worker.reply({ copiedBytes: 1, totalBytes: 2 });
  worker.reply({ opened: true });
  await opening;
  deepEqual(worker.sent, [{ open: { folder: "notes", threads: undefined } }]);
  ok((await worker.core.promise) instanceof WebAssembly.Module);
  deepEqual(told, [[1, 2]]);
});

test("a store that cannot be opened says why", async () => {
  const worker = new NotingWorker();
  const opening = openOver(worker);
  worker.reply({ opened: false, failure: errorData(new Error("no")) });
  await rejects(opening, /^Error: no$/);
  const unloaded = openOver(worker);
  worker.onerror({ preventDefault: () => {} });
  await rejects(unloaded, { code: "io_error", message: /^The worker of the store could not be loaded/ });
  equal(worker.isEnded, true);
});

test("options of wrong names and kinds are refused in words", () => {
  const refused: [options: unknown, message: RegExp][] = [
    [{ threads: "2" }, /^Option `threads`: expected a number/],
    [{ maxSearchMemory: true }, /^Option `maxSearchMemory`: expected a number or string/],
    [{ bundle: null }, /^Option `bundle`: expected a string or object/],
    [{ none: undefined }, /^Option `none`: expected one of folder, bundle,/],
    [new Map(), /^The options: expected an object/],
  ];
  for (const [options, message] of refused) {
    const worker = new NotingWorker();
    throws(() => openOver(worker, options as OpenOptions), { code: "bad_request", message });
    deepEqual(worker.sent, []);
  }
});

test("every call gets its own answer, in whatever order they come", async () => {
  const { worker, operations } = await opened();
  const [first, second, third] = [operations.stats(), operations.features(), operations.stats()];
  const calls = worker.sent.flatMap((request) => ("call" in request ? request.call : []));
  equal(new Set(calls).size, 3);
  worker.reply({ answer: calls[2], failure: errorData(new Error("third")) });
  worker.reply({ answer: calls[1], value: "second" });
  worker.reply({ answer: calls[0], value: "first" });
  deepEqual([await first, await second], ["first", "second"]);
  await rejects(third, /^Error: third$/);
});

test("documents are sent piece by piece, when they are asked for, and stay with who gave them", async () => {
  const { worker, operations } = await opened();
  const piece = Uint8Array.of(1, 2, 3);
  const { pieces } = source(piece, new Error("the line is dead"));
  const adding = operations.addDocuments("a", pieces, ADDITION);
  const { call } = worker.sent.at(-1) as { call: number };
  deepEqual(worker.sent.at(-1), { call, method: "addDocuments", args: ["a", null, ADDITION] });
  worker.reply({ wantsPieceOf: call });
  await setImmediate();
  deepEqual(worker.sent.at(-1), { piecesOf: call, piece });
  equal(piece.length, 3);
  worker.reply({ wantsPieceOf: call });
  await setImmediate();
  match(JSON.stringify(worker.sent.at(-1)), /"piecesOf":\d+,"failure":.*the line is dead/);
  worker.reply({ answer: call, value: "added" });
  equal(await adding, "added");
  const count = worker.sent.length;
  worker.reply({ wantsPieceOf: call });
  await setImmediate();
  equal(worker.sent.length, count);
  const none = source();
  void operations.addDocuments("a", none.pieces, ADDITION).catch(() => {});
  worker.reply({ wantsPieceOf: call + 1 });
  await setImmediate();
  deepEqual(worker.sent.at(-1), { piecesOf: call + 1, piece: null });
});

test("the source of documents is left when their call is refused, and when the worker fails", async () => {
  for (const fails of [false, true]) {
    const { worker, operations } = await opened();
    const { state, pieces } = source(Uint8Array.of(1), Uint8Array.of(2));
    const adding = operations.addDocuments("a", pieces, ADDITION);
    const { call } = worker.sent.at(-1) as { call: number };
    worker.reply({ wantsPieceOf: call });
    await setImmediate();
    if (fails) worker.onerror({ message: "gone", preventDefault: () => {} });
    else worker.reply({ answer: call, failure: errorData(new Error("gone")) });
    await rejects(adding, /gone/);
    await setImmediate();
    equal(state.isLeft, true);
  }
});

test("after its worker has failed, a store sends nothing, says so, and can be closed", async () => {
  const { worker, operations } = await opened();
  const waiting = operations.stats();
  let isHandled = false;
  const preventDefault = () => {
    isHandled = true;
  };
  worker.onerror({ message: "gone", preventDefault });
  await rejects(waiting, { code: "internal", message: /gone/ });
  deepEqual([isHandled, worker.isEnded], [true, true]);
  await rejects(operations.stats(), { code: "internal", message: /gone/ });
  await operations.close();
  deepEqual(worker.methods, ["stats"]);
});

test("a store is closed once; what is called then is aborted, what waits for its end with it", async () => {
  const { worker, operations } = await opened();
  const waiting = operations.stats();
  const [first, second] = [operations.close(), operations.close()];
  let isClosed = false;
  void second.then(() => {
    isClosed = true;
  });
  await rejects(operations.stats(), { code: "aborted" });
  deepEqual([isClosed, worker.isEnded], [false, false]);
  const { call } = worker.sent.at(-1) as { call: number };
  worker.reply({ answer: call, value: undefined });
  await Promise.all([first, second]);
  equal(worker.isEnded, true);
  await rejects(waiting, { code: "aborted" });
  deepEqual(worker.methods, ["stats", "close"]);
});

test("a store whose worker fails while it is closed says that it is closed", async () => {
  const { worker, operations } = await opened();
  const closed = operations.close();
  worker.onerror({ message: "gone", preventDefault: () => {} });
  await rejects(closed, { code: "internal", message: /gone/ });
  await rejects(operations.stats(), { code: "aborted" });
});
