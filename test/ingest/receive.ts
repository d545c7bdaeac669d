// Sends a body through receivePayload into a file of a fresh folder. Used by the tests of this folder.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { PayloadFormat } from "../../src/ingest/lines.ts";
import { receivePayload } from "../../src/ingest/payload.ts";

export interface Received {
  documents: number;
  bytes: number;
  text: string;
  lines: string[];
}

/** Bodies may be cut at these places: one chunk each. */
export type Body = string | Uint8Array | readonly (string | Uint8Array)[];

const LIMIT_BYTES = 64 * 2 ** 20;

export async function receive(
  format: PayloadFormat,
  body: Body,
  { limitBytes = LIMIT_BYTES, delimiter = "," } = {},
): Promise<Received> {
  const folder = await mkdtemp(join(tmpdir(), "tarsier-payload-"));
  const path = join(folder, "payload.ndjson");
  try {
    const options = { format, delimiter, limitBytes, path };
    const { documents, bytes } = await receivePayload(streamOf(body), options);
    const text = await readFile(path, "utf8");
    return { documents, bytes, text, lines: text === "" ? [] : text.slice(0, -1).split("\n") };
  } catch (error) {
    const left = await readdir(folder);
    if (left.length > 0) throw new Error(`a failed payload left ${left}`, { cause: error });
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The code and the message of the refusal of a body; fails when it is taken. */
export async function refusal(
  format: PayloadFormat,
  body: Body,
  options: { limitBytes?: number; delimiter?: string } = {},
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
