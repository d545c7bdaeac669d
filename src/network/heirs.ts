// What becomes of a write for a server that has left the network before it got it: its share of the
// documents, which no other server kept, is written again as a write of this server, for those that own it
// now. Called by outbox.ts.
import { ownerOf } from "../engine/ingest/shard.ts";
import { messageOf, TarsierError } from "../errors.ts";
import { piecesOf } from "../storage/filepieces.ts";
import type { ReadableFile } from "../storage/storage.ts";
import type { InstanceInterface } from "../tasks/instance.ts";
import type { Delivery, OutgoingWrite } from "../tasks/outgoing.ts";
import type { Registration } from "../tasks/registration.ts";
import { membersIn } from "./jsonparts.ts";
import { NOT_SENT, outgoingDraft, ownShard, type SharedWrite } from "./sharedwrites.ts";

export type Estate = Pick<
  InstanceInterface,
  "value" | "outgoing" | "openOutgoing" | "register" | "draftPayload" | "discardPayload" | "task" | "index"
>;

type Outcome = Pick<Delivery, "outcome" | "isFinal">;

const LEFT = "not sent: the remote has left the network";
const NEWLINE = 10;

/** Never rejects. Not final: it cannot be told yet, or there is no room for the task. */
export async function inherit(instance: Estate, write: OutgoingWrite, name: string): Promise<Outcome> {
  const place = PLACE.exec(write.path);
  if (place === null || write.method === "DELETE" || isUndone(instance, write, name, place[1])) return left();
  const status = known(() => instance.task(write.taskUid, null).status) ?? "succeeded";
  if (status === "failed" || status === "canceled") return left();
  if (status !== "succeeded")
    return { outcome: { error: `${NOT_SENT}: the documents are to be kept by others` }, isFinal: false };
  try {
    const file = instance.openOutgoing(write);
    if (file === null) return left();
    const owner = ownerOf(write.members);
    const share = { file, isOwn: (id: string) => owner(Buffer.from(id)) === name };
    try {
      const uid = await (place[2] ? deleteShare : addShare)(instance, write, place[1], share);
      return uid === null ? left() : left(`, task ${uid} writes its share anew`);
    } finally {
      file.close();
    }
  } catch (error) {
    return { outcome: { error: `${NOT_SENT}: ${messageOf(error)}` }, isFinal: false };
  }
}

/** An addition, or a deletion by ids. */
const PLACE = /^\/indexes\/([^/?]+)\/documents(\/delete-batch)?(?:\?|$)/;

const left = (more = ""): Outcome => ({ outcome: { error: LEFT + more }, isFinal: true });

/** A later write, which the server was to get as well, has removed all documents. */
function isUndone(
  instance: Pick<Estate, "outgoing">,
  { taskUid }: OutgoingWrite,
  name: string,
  indexUid: string,
): boolean {
  const paths = [`/indexes/${indexUid}`, `/indexes/${indexUid}/documents`];
  for (const later of instance.outgoing()) {
    if (later.taskUid <= taskUid || later.method !== "DELETE" || !later.waiting.includes(name)) continue;
    if (paths.includes(later.path.split("?")[0])) return true;
  }
  return false;
}

interface Share {
  file: ReadableFile;
  /** Was the server to keep it? What others keep may have changed since. */
  isOwn(id: string): boolean;
}

/** Uid of the new task; null: nothing is to be done. */
async function addShare(
  instance: Estate,
  { method, path }: OutgoingWrite,
  indexUid: string,
  { file, isOwn }: Share,
): Promise<number | null> {
  const key = known(() => instance.index(indexUid).primaryKey);
  if (key === null) return null;
  const payload = instance.draftPayload();
  let documentsCount = 0;
  try {
    for (const line of linesOf(file)) {
      const id = idIn(line.toString(), key);
      if (id === null || !isOwn(id)) continue;
      payload.append(Buffer.concat([line, Buffer.from("\n")]));
      documentsCount++;
    }
  } catch (error) {
    instance.discardPayload(payload);
    throw error;
  }
  if (documentsCount === 0) {
    instance.discardPayload(payload);
    return null;
  }
  const options = new URLSearchParams(path.split("?")[1]);
  const registration: Registration = {
    ...{ type: "documentAdditionOrUpdate", indexUid, method: method === "POST" ? "replace" : "update" },
    ...{ primaryKey: options.get("primaryKey"), documentsCount, payload, allowIndexCreation: false },
    skipCreation: options.get("skipCreation") === "true",
  };
  return registerShare(instance, registration, { method, path, body: "payload" });
}

async function deleteShare(
  instance: Estate,
  { method, path }: OutgoingWrite,
  indexUid: string,
  { file, isOwn }: Share,
): Promise<number | null> {
  const all: unknown[] = JSON.parse(Buffer.concat([...piecesOf(file, file.size)]).toString());
  const ids = all.map(String).filter(isOwn);
  if (ids.length === 0) return null;
  const registration: Registration = { type: "documentDeletion", indexUid, by: "ids", ids };
  return registerShare(instance, registration, { method, path, body: { json: ids } });
}

async function registerShare(
  instance: Estate,
  registration: Registration,
  write: SharedWrite,
): Promise<number> {
  const shard = ownShard(instance);
  const outgoing = shard && outgoingDraft(shard, write);
  const remotes = Object.fromEntries((outgoing?.waiting ?? []).map((name) => [name, { error: NOT_SENT }]));
  const isAddition = registration.type === "documentAdditionOrUpdate";
  const { taskUid } = await instance.register({
    ...registration,
    ...(isAddition && shard && { shard }),
    ...(outgoing && { network: { remotes }, outgoing }),
  });
  return taskUid;
}

function* linesOf(file: ReadableFile): Generator<Buffer> {
  let rest: Buffer[] = [];
  for (const piece of piecesOf(file, file.size)) {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, piece.subarray(from, end)]);
      rest = [];
      from = end + 1;
    }
    if (from < piece.length) rest.push(Buffer.from(piece.subarray(from)));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

/** The id as text, numbers with all their digits; null: there is none. */
function idIn(line: string, primaryKey: string): string | null {
  if (line.trim() === "") return null;
  const value = membersIn(line).findLast(({ name }) => name === primaryKey)?.value ?? "";
  if (value.startsWith('"')) return JSON.parse(value);
  return /^-?\d+$/.test(value) ? String(BigInt(value)) : null;
}

/** Null: what is asked for is gone. */
function known<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof TarsierError) return null;
    throw error;
  }
}
