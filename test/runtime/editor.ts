// A program that edits documents in memory, closes its store, and has nothing more to do: it ends at once.
// Started by closing.ts in the runtime that is tried.
import type { open as openType } from "../../src/index.ts";
import { BUILD } from "./process.ts";

const { open } = (await import(new URL("bundle/index.js", BUILD).href)) as { open: typeof openType };
const store = await open();
await store.setFeatures({ editDocumentsByFunction: true });
const numbers = store.index<{ id: number }>("numbers");
await numbers.add({ id: 1 });
await numbers.edit({ function: "doc.edited = true" });
process.stdout.write(`${JSON.stringify(await numbers.get(1))}\n`);
await store.close();
process.stdout.write("closed\n");
