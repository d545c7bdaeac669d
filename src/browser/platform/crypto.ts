// What is used of Node's module `crypto`, for browsers: theirs gives hashes only later.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

const encoder = new TextEncoder();

/** The hash of one text, as hexadecimal digits. */
export function createHash(_algorithm: "sha256"): Hash {
  return new Hash();
}

class Hash {
  readonly #hash = sha256.create();

  update(text: string): this {
    this.#hash.update(encoder.encode(text));
    return this;
  }

  digest(_encoding: "hex"): string {
    return bytesToHex(this.#hash.digest());
  }
}

/** Random bytes fill the target, which no threads share. */
export function randomFillSync<T extends Uint8Array<ArrayBuffer>>(target: T): T {
  return globalThis.crypto.getRandomValues(target);
}
