// Sends a body through the readers, into memory. Used by the tests of this folder.
import { Readable } from "node:stream";
import type { PayloadFormat } from "../../src/ingest/lines.ts";
import { transcribe } from "../../src/ingest/payload.ts";

export interface Received {
  documents: number;
  bytes: number;
  text: string;
  lines: string[];
}

/** Bodies may be cut at these places: one chunk each. */
export type Body = string | Uint8Array | readonly (string | Uint8Array)[];

const LIMIT_BYTES = 64 * 2 ** 20;

interface ReceiveOptions {
  limitBytes?: number;
  delimiter?: string;
  isStored?: boolean;
}

/** What becomes of a body; its lines stay in memory. */
export async function receive(
  format: PayloadFormat,
  body: Body,
  options: ReceiveOptions = {},
): Promise<Received> {
  const taken: Buffer[] = [];
  const target = { append: (bytes: Uint8Array) => void taken.push(Buffer.from(bytes)) };
  const documents = await transcribe(streamOf(body), { format, limitBytes: LIMIT_BYTES, ...options }, target);
  return received(documents, Buffer.concat(taken));
}

function received(documents: number, content: Buffer): Received {
  const text = content.toString();
  const lines = text === "" ? [] : text.slice(0, -1).split("\n");
  return { documents, bytes: content.length, text, lines };
}

/** The code and the message of the refusal of a body; fails when it is taken. */
export async function refusal(
  format: PayloadFormat,
  body: Body,
  options: ReceiveOptions = {},
): Promise<{ code: string; message: string }> {
  const taken = await receive(format, body, options).catch((error) => error);
  if (!(taken instanceof Error))
    throw new Error(`this body was taken: ${JSON.stringify(taken.text.slice(0, 200))}`);
  if (!("code" in taken)) throw taken;
  return { code: String(taken.code), message: taken.message };
}

function streamOf(body: Body): Readable {
  const chunks = typeof body === "string" || body instanceof Uint8Array ? [body] : body;
  return Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)).filter((chunk) => chunk.length > 0),
    { objectMode: true },
  );
}
