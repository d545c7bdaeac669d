// Writes while documents are spread over the network: the task here shows the outcome of the same write on
// the other servers, which sort documents by owner as this one does. Called by src/operations/sharing.ts
// (what a task is registered with) and outbox.ts (how a write is sent); moving.ts and operations/movers.ts
// ask what is still to be sent.
//
//   client -> server of origin: task 7, keeps its own documents; a copy of the write waits in its journal
//               -> every other server, in order: the whole write, marked with `origin` -> its own task
//             task 7 notes the numbers of their tasks, or why there is none yet
import { Readable } from "node:stream";
import type { Shard } from "../engine/shard.ts";
import { messageOf } from "../errors.ts";
import type { OutboundClient, OutboundRequest } from "../outbound/client.ts";
import { OutboundFailure } from "../outbound/failure.ts";
import type { Remote } from "../schemas/network.ts";
import { piecesOf } from "../storage/filepieces.ts";
import type { ReadableFile } from "../storage/storage.ts";
import type { InstanceInterface } from "../tasks/instanceinterface.ts";
import type { Delivery, OutgoingDraft, OutgoingWrite } from "../tasks/outgoing.ts";
import { quoted, remoteUrl } from "./remoterequest.ts";

/** Says which task of which server is repeated, and which documents the receiver keeps: JSON, URI-encoded. */
export const ORIGIN_HEADER = "svc-proxy-write";

/** What a server needs that asks before it moves documents, and before it lets writes run again. */
export const NEEDS = ["delivery", "ready", "given"] as const;

export interface WriteOrigin {
  remoteName: string;
  taskUid: number;
  /** Absent: the request is part of a move of documents; repeating it does no harm. */
  writeId?: string;
  shard: Shard;
  /** Of a write: its sender still sees these members, so that the receiver has to see them, too. */
  isPresent?: boolean;
  /** Of a write: it is held by its sender (tasks/heldwrites.ts), and so it has to be by the receiver. */
  isHeld?: boolean;
  /**
   * Of a question: the answer waits until writes from before the change of the network have been sent from
   * there (`delivery`), or done there (`ready`), or until documents have been moved from there (`given`).
   */
  needs?: (typeof NEEDS)[number];
}

/** A write in the form for other servers; `payload`: its body is the documents of the addition. */
export interface SharedWrite {
  method: OutgoingWrite["method"];
  /** Including its parameters. */
  path: string;
  body: { json: unknown } | "payload" | null;
}

/** For connection and answer, in addition to the time for the body. */
const WRITE_MS_MIN = 30_000;
/** A slower remote cannot be written to. */
const WRITE_BYTES_PER_MS_MIN = 256;

export const NOT_SENT = "waiting to be sent";

/** Whether one of these servers still has to be sent a write that runs before documents move. */
export function hasFormerFor(
  instance: Pick<InstanceInterface, "outgoing" | "held">,
  names: readonly string[],
): boolean {
  const held = instance.held();
  for (const { taskUid, waiting } of instance.outgoing())
    if (waiting.some((name) => names.includes(name)) && !held.has(taskUid)) return true;
  return false;
}

/** The copy of a write for the other servers; null if there are none. */
export function outgoingDraft(
  { self, members }: Shard,
  others: readonly string[],
  write: SharedWrite,
): OutgoingDraft | null {
  if (others.length === 0) return null;
  const { method, path, body } = write;
  const json = body !== null && body !== "payload" ? JSON.stringify(body.json) : null;
  return { method, path, self, members: [...members], waiting: [...others], json, hasBody: body !== null };
}

/** Sends a write once. A failure is returned, not thrown. */
export async function sendWrite(
  outbound: OutboundClient,
  { name, remote, signal }: { name: string; remote: Remote; signal: AbortSignal },
  write: OutgoingWrite,
  file: ReadableFile | null,
  marks: Pick<WriteOrigin, "isPresent" | "isHeld">,
): Promise<Pick<Delivery, "outcome" | "isFinal">> {
  const { self, members, taskUid, id, method, path } = write;
  const shard = { self: name, members };
  const origin: WriteOrigin = { remoteName: self, taskUid, writeId: id, shard, ...marks };
  const headers = {
    ...(write.contentType !== null && { "content-type": write.contentType }),
    ...memberHeaders(remote, origin),
  };
  try {
    const timeoutMs = WRITE_MS_MIN + Math.ceil(write.payloadBytes / WRITE_BYTES_PER_MS_MIN);
    const options = { method, headers, body: sentBody(file), timeoutMs, signal };
    const answer = await outbound.request(remoteUrl(remote, path), options);
    return outcomeOf(write, remote, answer.status, Buffer.from(answer.body).toString());
  } catch (error) {
    return { outcome: { error: reasonOf(error) }, isFinal: false };
  }
}

/** Headers of a request to another member: the key, and who asks. */
export function memberHeaders({ writeApiKey }: Remote, origin: WriteOrigin): Record<string, string> {
  return {
    ...(writeApiKey !== null && { authorization: `Bearer ${writeApiKey}` }),
    [ORIGIN_HEADER]: encodeURIComponent(JSON.stringify(origin)),
  };
}

/** Shows no addresses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof OutboundFailure)) return messageOf(error);
  const isKnown = error.reason === "timeout" || error.reason === "size" || error.reason === "redirect";
  return isKnown ? error.message : "error sending request";
}

/** The same request would be refused again. */
const FINAL_STATUSES: readonly number[] = [400, 409, 413, 414, 415, 422];
/** Refusals that end when the network is set right. */
const PASSING_CODES: readonly unknown[] = [
  "feature_not_enabled",
  "invalid_network_self",
  "invalid_network_remotes",
  "no_space_left_on_device",
];

function outcomeOf(write: OutgoingWrite, { writeApiKey }: Remote, status: number, text: string) {
  const quote = quoted(text, writeApiKey);
  const { taskUid, code } = objectIn(text);
  if (status === 202 && typeof taskUid === "number") return { outcome: { task_uid: taskUid }, isFinal: true };
  if (status === 202) return { outcome: { error: `no task in the answer: ${quote}` }, isFinal: false };
  // A remote may be given a key for documents only: other writes are then refused for good, which the task
  // shows.
  const isBeyondKey = (status === 401 || status === 403) && !write.path.includes("/documents");
  const isFinal = isBeyondKey || (FINAL_STATUSES.includes(status) && !PASSING_CODES.includes(code));
  return { outcome: { error: `status ${status}: ${quote}` }, isFinal };
}

/** The object that an answer is; an empty one if it is none. */
export function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function sentBody(file: ReadableFile | null): OutboundRequest["body"] {
  return file === null ? null : Readable.from(piecesOf(file, file.size));
}
