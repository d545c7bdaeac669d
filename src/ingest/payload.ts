// Receives the documents of a request: a body in JSON, NDJSON or CSV becomes the payload file of a task,
// NDJSON with one document a line. Called by the document routes, on the thread that answers HTTP: work comes
// in small pieces with pauses between them, and memory does not depend on the size of the body or of its
// documents.
//
//   stream -> PieceCutter (UTF-8) -> LineReader (grammar) -> LineSink -> PayloadFile (blocks, fsync)
import type { Readable } from "node:stream";
import { setImmediate as pause } from "node:timers/promises";
import { messageOf, TarsierError } from "../errors.ts";
import { formatSize } from "../sizes.ts";
import { CsvReader } from "./csv-lines.ts";
import { JsonReader } from "./json-lines.ts";
import { type LineReader, LineSink, type PayloadFormat } from "./lines.ts";
import { PayloadFile } from "./payload-file.ts";
import { markLength, PieceCutter } from "./pieces.ts";

/** How a body is to be read. */
export interface BodyOptions {
  format: PayloadFormat;
  /** Of CSV: one ASCII character; `,` when it is missing. */
  delimiter?: string;
  /** Most bytes of the body, after decompression. */
  limitBytes: number;
  /** Gets each chunk of the stream when it is read. */
  release?(chunk: Uint8Array): void;
}

export interface PayloadOptions extends BodyOptions {
  /** Where the payload goes; the folder exists. */
  path: string;
  /** False: do not wait until the bytes are safe from a loss of power. */
  sync?: boolean;
}

export interface Payload {
  documents: number;
  /** Size of the file. */
  bytes: number;
}

/** Takes the lines of a payload; the bytes are valid until it is done with them. */
export interface LineTarget {
  append(bytes: Uint8Array): void | Promise<void>;
}

/** Other requests get their turn after so much work. */
const WORK_MS_MAX = 4;

/**
 * Reads the stream to its end into the file at `path`. When the promise is fulfilled the file is complete and
 * synced; when it is rejected there is no file.
 * @throws TarsierError as transcribe
 */
export async function receivePayload(stream: Readable, options: PayloadOptions): Promise<Payload> {
  const file = await PayloadFile.create(options.path);
  try {
    const documents = await transcribe(stream, options, file);
    await file.finish(options.sync ?? true);
    return { documents, bytes: file.bytes };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/**
 * Reads the stream to its end, gives its documents to the target as lines, and returns how many they are.
 * After a failure the rest of the stream is read and thrown away, so that the connection can go on.
 * @throws TarsierError missing_payload, malformed_payload, payload_too_large; bad_request when the stream
 * fails
 */
export async function transcribe(
  stream: Readable,
  options: BodyOptions,
  target: LineTarget,
): Promise<number> {
  try {
    return await new Transcription(options, target).run(stream);
  } catch (error) {
    stream.resume();
    throw error;
  }
}

class Transcription {
  readonly #options: BodyOptions;
  readonly #target: LineTarget;
  readonly #sink = new LineSink();
  readonly #reader: LineReader;
  readonly #cutter: PieceCutter;
  #received = 0;
  #pausedAt = performance.now();

  constructor(options: BodyOptions, target: LineTarget) {
    const { format, delimiter = "," } = options;
    this.#options = options;
    this.#target = target;
    this.#cutter = new PieceCutter(format);
    this.#reader =
      format === "csv" ? new CsvReader(this.#sink, delimiter) : new JsonReader(format, this.#sink);
  }

  async run(stream: Readable): Promise<number> {
    await eachChunk(stream, (chunk) => this.#take(chunk));
    if (this.#received === 0) throw new TarsierError("missing_payload", { format: this.#options.format });
    this.#cutter.end();
    this.#reader.end();
    await this.#target.append(this.#sink.take());
    return this.#reader.documents;
  }

  #take(chunk: Uint8Array): Promise<void> | undefined {
    const { limitBytes, release } = this.#options;
    this.#received += chunk.length;
    if (this.#received > limitBytes)
      throw new TarsierError("payload_too_large", { limit: formatSize(limitBytes) });
    const reading = this.#readChunk(chunk, 0);
    if (reading) return reading.then(() => release?.(chunk));
    release?.(chunk);
    return undefined;
  }

  /** Undefined: it is done. */
  #readChunk(chunk: Uint8Array, start: number): Promise<void> | undefined {
    for (let at = start; at < chunk.length; ) {
      const { piece, offset, next } = this.#cutter.cut(chunk, at);
      at = next;
      const writing = this.#readPiece(piece, offset === 0 ? markLength(piece) : 0);
      if (writing) return writing.then(() => this.#readChunk(chunk, next));
      if (performance.now() - this.#pausedAt >= WORK_MS_MAX)
        return this.#pause().then(() => this.#readChunk(chunk, next));
    }
    return undefined;
  }

  #readPiece(piece: Uint8Array, start: number): Promise<void> | undefined {
    for (let at = start; at < piece.length; ) {
      at = this.#reader.read(piece, at);
      const writing = this.#sink.isFull ? this.#target.append(this.#sink.take()) : undefined;
      if (writing) return writing.then(() => this.#readPiece(piece, at));
    }
    return undefined;
  }

  async #pause(): Promise<void> {
    await pause();
    this.#pausedAt = performance.now();
  }
}

/**
 * Gives the chunks of a stream to `take`, each when it is done with the one before (undefined: it is at
 * once). By events: most bodies are one small chunk, and an iterator costs more than to read it. After a
 * failure the stream stays open.
 */
function eachChunk(stream: Readable, take: (chunk: Uint8Array) => Promise<void> | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    /** A stream can end or break while its last chunk is being read. */
    let reading: Promise<void> | null = null;
    const leave = (settle: () => void) => {
      // The listener for errors stays: what breaks later concerns nobody.
      stream.pause().off("data", onData).off("end", onEnd).off("close", onClose);
      if (reading) void reading.then(settle);
      else settle();
    };
    const onEnd = () => leave(resolve);
    const onBreak = (error: unknown) => leave(() => reject(broken(error)));
    const onClose = () => onBreak(new Error("the connection was closed"));
    const onData = (chunk: Uint8Array | string) => {
      try {
        const work = take(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
        if (!work) return;
        stream.pause();
        reading = work.then(
          () => {
            reading = null;
            stream.resume();
          },
          (error) => {
            reject(error);
            reading = null;
            leave(() => {});
          },
        );
      } catch (error) {
        leave(() => reject(error));
      }
    };
    if (stream.readableEnded) return resolve();
    if (stream.destroyed) return onBreak(stream.errored ?? new Error("the connection was closed"));
    stream.on("error", onBreak).on("close", onClose).on("end", onEnd).on("data", onData);
  });
}

function broken(error: unknown): TarsierError {
  if (error instanceof TarsierError) return error;
  const message = `The body could not be read to its end: ${messageOf(error)}`;
  return new TarsierError("bad_request", { message });
}
