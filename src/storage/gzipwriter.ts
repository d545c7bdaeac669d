// gzip for archives (archivewriter.ts): each piece is consumed before the next one comes, so that the caller
// may use one buffer for all of them. There are two forms: bytes that are deflated, in a thread of the
// system, and bytes that are stored as they are, because they are compressed already. The latter are not
// copied: the garbage of a stream would make V8 collect the whole heap many times a second.
//
// Stored (RFC 1952, 1951):
//   10 bytes  head: 1f 8b 08 00, time 0 (4), 00, ff
//   for each piece, in parts of 65,535 bytes or fewer
//     5 bytes   00, length, length with all bits turned, of two bytes each
//     n bytes   the part
//   5 bytes   01 00 00 ff ff: the last part, empty
//   8 bytes   CRC-32 and length of all bytes
// Numbers have their least byte first.
import { once } from "node:events";
import { setTimeout as rest } from "node:timers/promises";
import { crc32, createGzip, type Gzip } from "node:zlib";
import { PIECE_BYTES } from "./filepieces.ts";

export interface GzipWriter {
  /** Fulfilled when the caller may change the bytes. Rejects with what `append` threw. */
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
  /** Drops what was written so far. */
  destroy(): void;
}

type Append = (bytes: Uint8Array | Uint8Array[]) => void;

/**
 * `level`: 0 (stored) to 9 (small). `append` gets the archive, piece by piece. Something must be written
 * before the end.
 */
export function openGzip(level: number, append: Append): GzipWriter {
  return level === 0 ? new StoredGzip(append) : new DeflatedGzip(level, append);
}

const STORED_HEAD = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
const LAST_PART = Uint8Array.of(1, 0, 0, 0xff, 0xff);
const PART_HEAD_BYTES = 5;
const PART_BYTES_MAX = 65_535;
/**
 * The thread also answers requests: for these it gets this many times as long as packing and writing took.
 */
const REST_RATIO = 3;
const REST_MS_MIN = 2;
const REST_MS_MAX = 20;

class StoredGzip implements GzipWriter {
  readonly #append: Append;
  #sum = 0;
  #bytes = 0;
  #owedMs = 0;

  constructor(append: Append) {
    this.#append = append;
  }

  async write(bytes: Uint8Array): Promise<void> {
    const start = performance.now();
    const parts: Uint8Array[] = this.#bytes === 0 ? [STORED_HEAD] : [];
    this.#sum = crc32(bytes, this.#sum);
    this.#bytes += bytes.length;
    for (let from = 0; from < bytes.length; from += PART_BYTES_MAX) {
      const part = bytes.subarray(from, from + PART_BYTES_MAX);
      parts.push(partHead(part.length), part);
    }
    this.#append(parts);
    this.#owedMs += REST_RATIO * (performance.now() - start);
    if (this.#owedMs < REST_MS_MIN) return;
    await rest(Math.min(REST_MS_MAX, this.#owedMs));
    this.#owedMs = 0;
  }

  async end(): Promise<void> {
    const tail = Buffer.alloc(8);
    tail.writeUInt32LE(this.#sum, 0);
    tail.writeUInt32LE(this.#bytes % 2 ** 32, 4);
    this.#append([LAST_PART, tail]);
  }

  destroy(): void {}
}

function partHead(length: number): Uint8Array {
  const head = Buffer.alloc(PART_HEAD_BYTES);
  head.writeUInt16LE(length, 1);
  head.writeUInt16LE(length ^ 0xffff, 3);
  return head;
}

/** A deflated piece that did not shrink must fit into one buffer: two buffers halve the speed. */
const DEFLATED_BYTES = PIECE_BYTES + 64 * 1024;

class DeflatedGzip implements GzipWriter {
  readonly #stream: Gzip;

  constructor(level: number, append: Append) {
    this.#stream = createGzip({ level, chunkSize: DEFLATED_BYTES });
    this.#stream.on("data", (chunk: Uint8Array) => {
      try {
        append(chunk);
      } catch (error) {
        this.#stream.destroy(error as Error);
      }
    });
    // The error reaches whoever writes or waits for the end.
    this.#stream.on("error", () => {});
  }

  async write(bytes: Uint8Array): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(bytes, (error) => {
        const failure = this.#stream.errored ?? error;
        if (failure) reject(failure);
        else resolve();
      });
    });
  }

  async end(): Promise<void> {
    if (this.#stream.errored) throw this.#stream.errored;
    const ended = once(this.#stream, "end");
    this.#stream.end();
    await ended;
  }

  destroy(): void {
    this.#stream.destroy();
  }
}
