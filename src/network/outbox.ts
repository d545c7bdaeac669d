// Sends the writes that wait for other servers: to each server one after the other, in the order of their
// tasks, until it accepts them. They are kept in the journal (tasks/outgoing.ts), so a restart goes on where
// the last run ended; a server that is down delays nobody but itself. Opened by src/http/server.ts.
import { setMaxListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { messageOf } from "../errors.ts";
import type { OutboundClient } from "../outbound/client.ts";
import { FEATURE_KIND } from "../schemas/features.ts";
import type { InstanceInterface } from "../tasks/instance.ts";
import type { Delivery, OutgoingWrite } from "../tasks/outgoing.ts";
import { NOT_SENT, sendWrite } from "./sharedwrites.ts";
import { networkOf } from "./topology.ts";

interface OutboxParts {
  instance: Pick<InstanceInterface, "outgoing" | "openOutgoing" | "noteDelivery" | "value">;
  outbound: OutboundClient;
  onTrouble(error: Error): void;
  /** Wait after the first try that failed; it doubles with each. Default: WAIT_MS_FIRST. */
  waitMsFirst?: number;
  /** Nobody waits so long for a server that kept somebody waiting. Default: SLOW_MS. */
  slowMs?: number;
}

/** The answer to a write waits so long for other servers: its task mostly knows theirs then. */
const TRY_MS_MAX = 1_000;
const SLOW_MS = 60_000;
const WAIT_MS_FIRST = 500;
const WAIT_MS_MAX = 60_000;

/** The way to one server. */
interface Lane {
  running: Promise<void>;
  /** Ends the pause before the next try. */
  hurry: AbortController;
  /** Tries of the first write that failed. */
  failures: number;
}

export class Outbox {
  readonly #parts: OutboxParts;
  readonly #lanes = new Map<string, Lane>();
  readonly #closing = new AbortController();
  /** By remote: the write and the reason that its task tells. */
  readonly #told = new Map<string, string>();
  /** Remotes for which somebody waited in vain: until when, as performance.now() tells, nobody else does. */
  readonly #slow = new Map<string, number>();
  /** Called when a write was tried for the first time by a lane, or waits behind others. */
  readonly #tried = new Map<string, () => void>();

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    // Every lane listens; node takes more than ten for a leak, and prints it.
    setMaxListeners(0, this.#closing.signal);
    this.wake();
  }

  /** Sends what waits, at once: something came, or the network has changed. */
  wake(): void {
    if (this.#closing.signal.aborted) return;
    const names = new Set<string>();
    for (const { waiting } of this.#parts.instance.outgoing()) for (const name of waiting) names.add(name);
    for (const name of names) this.#start(name).hurry.abort();
  }

  /**
   * A write was registered. Fulfilled when each server that is neither behind nor slow was tried once, at the
   * latest after so many milliseconds.
   */
  async send(taskUid: number, waitMs = TRY_MS_MAX): Promise<void> {
    const write = this.#parts.instance.outgoing().get(taskUid);
    if (!write || this.#closing.signal.aborted) return;
    const lanes = write.waiting.map((name) => ({ name, key: `${taskUid} ${name}`, lane: this.#start(name) }));
    const waited = lanes.filter(({ name, lane }) => lane.failures === 0 && !this.#isSlow(name));
    const tries = waited.map(({ key }) => new Promise<void>((resolve) => this.#tried.set(key, resolve)));
    const late = new AbortController();
    await Promise.race([Promise.all(tries), wait(waitMs, null, { signal: late.signal }).catch(() => null)]);
    late.abort();
    const until = performance.now() + (this.#parts.slowMs ?? SLOW_MS);
    for (const { name, key } of waited) if (this.#tried.delete(key)) this.#slow.set(name, until);
  }

  #isSlow(name: string): boolean {
    return performance.now() < (this.#slow.get(name) ?? 0);
  }

  /** What is under way is given up; it stays in the journal. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const { hurry } of this.#lanes.values()) hurry.abort();
    await Promise.all([...this.#lanes.values()].map(({ running }) => running));
  }

  #start(name: string): Lane {
    const known = this.#lanes.get(name);
    if (known) return known;
    const lane: Lane = { running: Promise.resolve(), hurry: new AbortController(), failures: 0 };
    this.#lanes.set(name, lane);
    lane.running = this.#run(name, lane)
      .catch((error) => this.#parts.onTrouble(error as Error))
      .finally(() => this.#forget(name, lane));
    return lane;
  }

  async #run(name: string, lane: Lane): Promise<void> {
    const { instance, waitMsFirst = WAIT_MS_FIRST } = this.#parts;
    // The lane is known to others before it does anything.
    await null;
    while (!this.#closing.signal.aborted) {
      const write = instance.outgoing().nextFor(name);
      // In the step that finds nothing: who comes later starts another lane.
      if (write === null) return this.#forget(name, lane);
      lane.hurry = new AbortController();
      const delivery = await this.#try(name, write);
      if (this.#closing.signal.aborted && !delivery.isFinal) return;
      await this.#note(write, { ...delivery, taskUid: write.taskUid, remote: name });
      this.#tellTried(write.taskUid, name);
      lane.failures = delivery.isFinal ? 0 : lane.failures + 1;
      if (delivery.isFinal) continue;
      for (const { taskUid } of instance.outgoing()) this.#tellTried(taskUid, name);
      const waitMs = Math.min(WAIT_MS_MAX, waitMsFirst * 2 ** Math.min(lane.failures - 1, 16));
      await wait(waitMs, null, { signal: lane.hurry.signal, ref: false }).catch(() => null);
    }
  }

  #forget(name: string, lane: Lane): void {
    if (this.#lanes.get(name) === lane) this.#lanes.delete(name);
  }

  async #try(name: string, write: OutgoingWrite): Promise<Pick<Delivery, "outcome" | "isFinal">> {
    const { instance, outbound } = this.#parts;
    const { remotes } = networkOf(instance);
    if (!Object.hasOwn(remotes, name))
      return { outcome: { error: "not sent: the remote has left the network" }, isFinal: true };
    if (instance.value(FEATURE_KIND, "network") !== true)
      return { outcome: { error: `${NOT_SENT}: the feature \`network\` is off` }, isFinal: false };
    const target = { name, remote: remotes[name], signal: this.#closing.signal };
    const file = openBody(instance, write);
    if (file instanceof Error) return { outcome: { error: `not sent: ${messageOf(file)}` }, isFinal: true };
    try {
      const { outcome, isFinal } = await sendWrite(outbound, target, write, file);
      if (isFinal || !("error" in outcome)) return { outcome, isFinal };
      return { outcome: { error: `${NOT_SENT}: ${outcome.error}` }, isFinal };
    } finally {
      file?.close();
    }
  }

  /** A reason that the task tells already is not written again. */
  async #note(write: OutgoingWrite, delivery: Delivery): Promise<void> {
    const reason = "error" in delivery.outcome ? delivery.outcome.error : null;
    const told = `${write.taskUid} ${reason}`;
    if (!delivery.isFinal && this.#told.get(delivery.remote) === told) return;
    this.#told.set(delivery.remote, told);
    await this.#parts.instance.noteDelivery(delivery);
  }

  #tellTried(taskUid: number, name: string): void {
    const key = `${taskUid} ${name}`;
    this.#tried.get(key)?.();
    this.#tried.delete(key);
  }
}

function openBody(instance: OutboxParts["instance"], write: OutgoingWrite) {
  try {
    return instance.openOutgoing(write);
  } catch (error) {
    return error as Error;
  }
}
