// Receives the documents of a write: a body in JSON, NDJSON or CSV becomes the payload of a task, NDJSON with
// one document a line. Called by operations/documentwrites.ts, on the thread that answers HTTP: work comes in
// small pieces with pauses between them, and memory does not depend on the size of the body or of its
// documents.
//
//   stream -> PieceCutter (UTF-8) -> LineReader (grammar) -> LineSink -> LineTarget (tasks/payloads.ts)
import type { Readable } from "node:stream";
import { messageOf, TarsierError } from "../errors.ts";
import { formatSize } from "../sizes.ts";
import { Slices } from "../slices.ts";
import { CsvReader } from "./csv-lines.ts";
import { JsonReader } from "./json-lines.ts";
import { type LineReader, LineSink, type PayloadFormat } from "./lines.ts";
import { markLength, PieceCutter } from "./pieces.ts";

/** How to read a body. */
interface BodyOptions {
  format: PayloadFormat;
  /** For CSV: one ASCII character; `,` when missing. */
  delimiter?: string;
  /** The documents were stored once, here or by another server. */
  isStored?: boolean;
  /** Most bytes of the body, after decompression. */
  limitBytes: number;
  /** Gets each chunk of the stream after it was read. */
  release?(chunk: Uint8Array): void;
}

/** Bytes in pieces of any size: a stream of Node, or anything else that yields them. */
type ByteStream = AsyncIterable<Uint8Array | string> & Partial<Pick<Readable, "iterator" | "resume">>;

/** Takes the lines of a payload; the bytes are valid until it is done with them. */
export interface LineTarget {
  append(bytes: Uint8Array): void | Promise<void>;
}

/**
 * Reads the stream to its end, hands its documents to the target as lines, and returns their number. After a
 * failure the rest of the stream is read and thrown away, so that the connection can go on.
 * @throws TarsierError missing_payload, malformed_payload, payload_too_large; bad_request when the stream
 * fails
 */
export async function transcribe(
  stream: ByteStream,
  options: BodyOptions,
  target: LineTarget,
): Promise<number> {
  try {
    return await new Transcription(options, target).run(stream);
  } catch (error) {
    stream.resume?.();
    throw error;
  }
}

/** What is stored may have this many times the bytes that a body may have. */
const GROWTH_MAX = 64;

class Transcription {
  readonly #options: BodyOptions;
  readonly #target: LineTarget;
  readonly #sink = new LineSink();
  readonly #reader: LineReader;
  readonly #cutter: PieceCutter;
  #received = 0;
  #written = 0;
  readonly #slices = new Slices();

  constructor(options: BodyOptions, target: LineTarget) {
    const { format, delimiter = ",", isStored } = options;
    this.#options = options;
    this.#target = target;
    this.#cutter = new PieceCutter(format);
    this.#reader =
      format === "csv" ? new CsvReader(this.#sink, delimiter) : new JsonReader(format, this.#sink, isStored);
  }

  async run(stream: ByteStream): Promise<number> {
    const { format, limitBytes, release } = this.#options;
    for await (const chunk of chunksOf(stream)) {
      this.#received += chunk.length;
      if (this.#received > limitBytes) throw this.#tooLarge();
      await this.#readChunk(chunk);
      release?.(chunk);
    }
    if (this.#received === 0) throw new TarsierError("missing_payload", { format });
    this.#cutter.end();
    this.#reader.end();
    await this.#write();
    return this.#reader.documents;
  }

  /** Bounds the total, too, since each record of a CSV body repeats the names of its header. */
  async #write(): Promise<void> {
    const lines = this.#sink.take();
    this.#written += lines.length;
    if (this.#written > GROWTH_MAX * this.#options.limitBytes) throw this.#tooLarge();
    await this.#target.append(lines);
  }

  #tooLarge(): TarsierError {
    return new TarsierError("payload_too_large", { limit: formatSize(this.#options.limitBytes) });
  }

  async #readChunk(chunk: Uint8Array): Promise<void> {
    for (let start = 0; start < chunk.length; ) {
      const { piece, offset, next } = this.#cutter.cut(chunk, start);
      start = next;
      let at = offset === 0 ? markLength(piece) : 0;
      // Also a piece that is nothing but the mark: readers count the bytes of all pieces.
      do {
        at = this.#reader.read(piece, at);
        if (this.#sink.isFull) await this.#write();
      } while (at < piece.length);
      this.#cutter.holdBack(piece.subarray(piece.length - this.#reader.held));
      if (this.#slices.isOver()) await this.#slices.pause();
    }
  }
}

/** The chunks of a stream, which stays open when the loop is left; its failures become a TarsierError. */
async function* chunksOf(stream: ByteStream): AsyncGenerator<Uint8Array> {
  const chunks = stream.iterator?.({ destroyOnReturn: false }) ?? stream;
  try {
    for await (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  } catch (error) {
    if (error instanceof TarsierError) throw error;
    const reason = messageOf(error);
    const message = `The body could not be read to its end: ${reason}`;
    throw new TarsierError("bad_request", { message }, undefined, { cause: error });
  }
}
