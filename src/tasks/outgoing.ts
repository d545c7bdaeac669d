// Writes that other servers of the network have not received yet: part of the state that the journal
// rebuilds. A write enters it with the journal record of its task and leaves it when every server has
// answered. Filled by registrar.ts; src/network/outbox.ts sends them.
import { TarsierError } from "../errors.ts";
import { OUTGOING_BYTES_MAX, OUTGOING_INLINE_BYTES_MAX, OUTGOING_WRITES_MAX } from "../limits.ts";
import { nameList } from "../schemas/phrases.ts";

export interface OutgoingWrite {
  /** Lets a receiver recognise a write that is sent again. */
  id: string;
  /** Uid of the task on this server. */
  taskUid: number;
  method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** Including its parameters. */
  path: string;
  contentType: string | null;
  /** The body, if it is small; else `payload` names its file. Both null: there is none. */
  inline: Uint8Array | null;
  payload: string | null;
  payloadBytes: number;
  /** Names of this server, and of all servers that share documents, at the time of the write. */
  self: string;
  members: string[];
  /** Servers that have not answered yet. */
  waiting: string[];
}

/** A write to be registered; `json` null: its body is the payload of the addition. */
export interface OutgoingDraft
  extends Pick<OutgoingWrite, "method" | "path" | "self" | "members" | "waiting"> {
  json: string | null;
  hasBody: boolean;
}

/** The other server that sent a write, and the id it gave it. */
export interface Origin {
  remoteName: string;
  writeId: string;
}

/** Outcome of a write on another server; if it is not final, it will be tried again. */
export interface Delivery {
  taskUid: number;
  remote: string;
  outcome: { task_uid: number } | { error: string };
  isFinal: boolean;
}

export class OutgoingWrites {
  readonly #writes = new Map<number, OutgoingWrite>();
  #inlineBytes = 0;
  #bytes = 0;

  get size(): number {
    return this.#writes.size;
  }

  /** Bytes of bodies that the journal holds. */
  get inlineBytes(): number {
    return this.#inlineBytes;
  }

  /** In the order of their tasks. */
  [Symbol.iterator](): Iterator<OutgoingWrite> {
    return this.#writes.values();
  }

  get(taskUid: number): OutgoingWrite | undefined {
    return this.#writes.get(taskUid);
  }

  /** The oldest write that the server has not answered yet. */
  nextFor(remote: string): OutgoingWrite | null {
    for (const write of this.#writes.values()) if (write.waiting.includes(remote)) return write;
    return null;
  }

  add(write: OutgoingWrite): void {
    this.#writes.set(write.taskUid, write);
    this.#count(write, 1);
  }

  /** Notes that one server fewer is waiting for it. */
  deliver({ taskUid, remote, isFinal }: Delivery): void {
    const write = this.#writes.get(taskUid);
    if (!write || !isFinal) return;
    write.waiting = write.waiting.filter((name) => name !== remote);
    if (write.waiting.length > 0) return;
    this.#writes.delete(taskUid);
    this.#count(write, -1);
  }

  /**
   * @throws TarsierError `no_space_left_on_device`: a write that cannot be kept for the others is not
   * accepted
   */
  refuseFull(): void {
    const isFull =
      this.size >= OUTGOING_WRITES_MAX ||
      this.#bytes >= OUTGOING_BYTES_MAX ||
      this.#inlineBytes >= OUTGOING_INLINE_BYTES_MAX;
    if (!isFull) return;
    const names = [...new Set([...this.#writes.values()].flatMap(({ waiting }) => waiting))];
    const reason = `${this.size} writes wait to be sent to the remotes ${nameList(names)}`;
    throw new TarsierError("no_space_left_on_device", { reason });
  }

  #count({ inline, payloadBytes }: OutgoingWrite, sign: 1 | -1): void {
    this.#inlineBytes += sign * (inline?.length ?? 0);
    this.#bytes += sign * payloadBytes;
  }
}
