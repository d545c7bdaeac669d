// Turns documents into bytes on their way to a door, and answers back into objects. Called by storefront.ts
// and storeindex.ts.
import { messageOf, TarsierError } from "../errors.ts";
import { foundIn } from "../schemas/phrases.ts";
import type { ByteSource, Documents } from "./store.ts";

const BYTES = "bytes, or what yields them";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Documents are handed on in pieces of about this size. */
const PIECE_LETTERS = 64 * 1024;

/** A slow source is handed on sooner: between two pieces it can be told to stop. */
const PIECE_MS = 100;

/** The JSON of an answer. */
export function parsed(json: Uint8Array): unknown {
  return JSON.parse(decoder.decode(json));
}

/** Whether documents come when they come, perhaps after another write: none must wait for them. */
export function isStream(source: unknown): boolean {
  return (
    typeof source === "object" && source !== null && (Symbol.asyncIterator in source || isReadable(source))
  );
}

/**
 * Documents as the pieces of one JSON array. A list is copied at once: programs that collect documents empty
 * their list as soon as they have handed it over. @throws TarsierError malformed_payload
 */
export function piecesOf(documents: Documents<object>): AsyncGenerator<Uint8Array> {
  return jsonPieces(Array.isArray(documents) ? documents.slice() : documents);
}

async function* jsonPieces(documents: Documents<object>): AsyncGenerator<Uint8Array> {
  let text = "[";
  let at = 0;
  let end = performance.now() + PIECE_MS;
  // Programs without types may pass something that is no object.
  if (typeof documents !== "object" || documents === null) throw unreadable("documents", documents);
  for await (const document of iterableOf(documents) ?? [documents]) {
    text += at === 0 ? jsonOf(document, at) : `,${jsonOf(document, at)}`;
    at++;
    if (text.length < PIECE_LETTERS && performance.now() < end) continue;
    yield encoder.encode(text);
    text = "";
    end = performance.now() + PIECE_MS;
  }
  yield encoder.encode(`${text}]`);
}

/** The bytes of a source, whether it holds them whole or in pieces; `format` of the documents, for errors. */
export async function* piecesFrom(source: ByteSource, format: string): AsyncGenerator<Uint8Array> {
  if (typeof source === "string") yield encoder.encode(source);
  else if (source instanceof Uint8Array) yield source;
  else yield* piecesIn(source, format);
}

/** A list of byte arrays counts, too. Streams of texts are easily taken for those of bytes. */
async function* piecesIn(source: unknown, format: string): AsyncGenerator<Uint8Array> {
  const pieces = iterableOf(source);
  if (pieces === null) throw unreadable(BYTES, source, format);
  for await (const piece of pieces) {
    if (!(piece instanceof Uint8Array)) throw unreadable(BYTES, piece, format);
    yield piece;
  }
}

/** What yields something; null: it does not. */
function iterableOf(source: unknown): Iterable<object> | AsyncIterable<object> | null {
  if (typeof source !== "object" || source === null) return null;
  if (Symbol.iterator in source || Symbol.asyncIterator in source) return source as Iterable<object>;
  return isReadable(source) ? read(source) : null;
}

/** The streams of WebKit (2.50) cannot be iterated over. Documents may have methods, even a `getReader`. */
function isReadable(source: object): source is ReadableStream<object> {
  if (!("getReader" in source && "locked" in source)) return false;
  return typeof source.getReader === "function" && typeof source.locked === "boolean";
}

/** What a stream yields, which is left as iterating it would leave it. */
async function* read(stream: ReadableStream<object>): AsyncGenerator<object> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Of a stream that has failed, this tells the failure once more.
    await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}

function unreadable(expected: string, found: unknown, format = "json"): TarsierError {
  const problem = `expected ${expected}, but found ${foundIn(found)}`;
  return new TarsierError("malformed_payload", { format, place: "the documents", problem });
}

function jsonOf(document: object, at: number): string {
  try {
    const json: string | undefined = JSON.stringify(document);
    if (json !== undefined) return json;
    throw new TypeError(`it is ${String(document)}, which has no JSON`);
  } catch (error) {
    // For a circular document, V8 appends a drawing of the circle on lines of its own: only the first line is
    // kept.
    const [problem] = messageOf(error).split("\n");
    throw new TarsierError("malformed_payload", { format: "json", place: `document ${at}`, problem });
  }
}
