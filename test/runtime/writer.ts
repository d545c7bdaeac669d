// A program that writes with the library and says what was acknowledged, until it is killed. Started by
// library.ts in the runtime that is tried.
import type { open as openType } from "../../src/index.ts";
import { BUILD } from "./process.ts";

const { open } = (await import(new URL("bundle/index.js", BUILD).href)) as { open: typeof openType };
const store = await open({ folder: process.argv[2], threads: 1 });
const numbers = store.index<{ id: number }>("numbers");
for (let id = 0; ; id++) {
  await numbers.add({ id }).enqueued;
  process.stdout.write(`acknowledged ${id}\n`);
}
