// Writes of documents while they are spread over the network: the task here says what became of the same
// write on the other servers, where its documents are sorted out by owner as they are here. Called by
// src/http/sharing.ts.
//
//   client -> server of origin: task 7, keeps its own documents
//               -> every other server: the whole write, marked with `origin` -> its task, keeps its own
//             task 7 notes the numbers of their tasks, or errors
import { Readable } from "node:stream";
import type { Shard } from "../engine/ingest/shard.ts";
import type { OutboundClient, OutboundRequest } from "../outbound/client.ts";
import { OutboundFailure } from "../outbound/failure.ts";
import type { Remote } from "../schemas/network.ts";
import type { ReadableFile } from "../storage/storage.ts";
import type { InstanceInterface } from "../tasks/instance.ts";
import type { TaskNetwork } from "../tasks/task.ts";
import { quoted, remoteUrl } from "./remoterequest.ts";
import { networkOf } from "./topology.ts";

/** Says which task of which server is repeated, and which documents the receiver keeps: JSON, URI-encoded. */
export const ORIGIN_HEADER = "svc-proxy-write";

export interface WriteOrigin {
  remoteName: string;
  taskUid: number;
  shard: Shard;
}

/** A write as it goes to others. */
export interface SharedWrite {
  method: "POST" | "PUT" | "DELETE";
  /** With its parameters. */
  path: string;
  /** JSON; a payload file of NDJSON; or null. */
  body: { json: unknown } | { file: ReadableFile } | null;
}

/** From the first byte sent to the end of the answer. */
const WRITE_MS_MAX = 10 * 60_000;
const PIECE_BYTES = 256 * 1024;

/** What this server keeps, when documents are spread and it is asked by a client; else null. */
export function ownShard(instance: Pick<InstanceInterface, "value">): Shard | null {
  const { self, sharding, remotes } = networkOf(instance);
  return sharding && self !== null ? { self, members: membersOf(self, remotes) } : null;
}

/** Repeats a write on all other servers at the same time. What fails is told in the result. */
export async function shareWrite(
  instance: Pick<InstanceInterface, "value">,
  outbound: OutboundClient,
  { self, members }: Shard,
  { taskUid, write }: { taskUid: number; write: SharedWrite },
): Promise<TaskNetwork> {
  const { remotes } = networkOf(instance);
  const others = members.filter((name) => name !== self && Object.hasOwn(remotes, name));
  const outcomes = others.map(async (name) => {
    const origin: WriteOrigin = { remoteName: self, taskUid, shard: { self: name, members } };
    return [name, await repeatWrite(outbound, remotes[name], origin, write)] as const;
  });
  return { remotes: Object.fromEntries(await Promise.all(outcomes)) };
}

const membersOf = (self: string, remotes: Record<string, Remote>): string[] =>
  [...new Set([self, ...Object.keys(remotes)])].sort();

async function repeatWrite(
  outbound: OutboundClient,
  remote: Remote,
  origin: WriteOrigin,
  { method, path, body }: SharedWrite,
): Promise<{ task_uid: number } | { error: string }> {
  const { writeApiKey } = remote;
  const headers = {
    ...(body && { "content-type": "json" in body ? "application/json" : "application/x-ndjson" }),
    ...(writeApiKey !== null && { authorization: `Bearer ${writeApiKey}` }),
    [ORIGIN_HEADER]: encodeURIComponent(JSON.stringify(origin)),
  };
  try {
    const options = { method, headers, body: sentBody(body), timeoutMs: WRITE_MS_MAX };
    const answer = await outbound.request(remoteUrl(remote, path), options);
    const text = Buffer.from(answer.body).toString();
    const quote = quoted(text, writeApiKey);
    if (answer.status !== 202) return { error: `status ${answer.status}: ${quote}` };
    const { taskUid } = JSON.parse(text) as { taskUid?: unknown };
    return typeof taskUid === "number" ? { task_uid: taskUid } : { error: `no task in the answer: ${quote}` };
  } catch (error) {
    if (error instanceof SyntaxError) return { error: "the answer is no JSON" };
    if (!(error instanceof OutboundFailure)) throw error;
    const isKnown = error.reason === "timeout" || error.reason === "size" || error.reason === "redirect";
    return { error: isKnown ? error.message : "error sending request" };
  }
}

function sentBody(body: SharedWrite["body"]): OutboundRequest["body"] {
  if (body === null) return null;
  return "json" in body ? JSON.stringify(body.json) : Readable.from(pieces(body.file));
}

function* pieces(file: ReadableFile): Generator<Uint8Array> {
  for (let at = 0; at < file.size; ) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, file.size - at));
    const length = file.readInto(piece, at);
    if (length === 0) return;
    yield piece.subarray(0, length);
    at += length;
  }
}
