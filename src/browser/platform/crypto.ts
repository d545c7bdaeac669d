// The parts of Node's module `crypto` that are used, for browsers, whose own hashes are asynchronous.
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

/** Fills the target, which must not be in shared memory, with random bytes. */
export function randomFillSync<T extends Uint8Array<ArrayBuffer>>(target: T): T {
  return globalThis.crypto.getRandomValues(target);
}
