// Raw documents in the memory of a core, for the tests of this folder.
import { Core } from "../../../src/core/core.ts";
import { JsonScanner } from "../../../src/core/json.ts";

const TEXT_BYTES = 1 << 20;

const core = new Core();
const text = core.reserve(TEXT_BYTES);

export const scanner = new JsonScanner(core);

export const encode = (json: string): Uint8Array => new TextEncoder().encode(json);
export const decode = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** Calls with the place of a document in linear memory. */
export function withDocument<T>(json: string, use: (pointer: number, length: number) => T): T {
  const bytes = encode(json);
  core.write(text, bytes);
  return use(text, bytes.length);
}
