// Sends waiting writes to other servers: to each server one after the other, in the order of their tasks,
// until it accepts them. They are kept in the journal (tasks/outgoing.ts), so a restart continues where the
// last run ended; a server that is down delays only its own. Opened by src/http/server.ts.
import { setMaxListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { areSameMembers } from "../engine/shard.ts";
import { messageOf } from "../errors.ts";
import type { OutboundClient } from "../outbound/client.ts";
import { FEATURE_KIND } from "../schemas/features.ts";
import type { Remote } from "../schemas/network.ts";
import type { InstanceInterface } from "../tasks/instanceinterface.ts";
import type { Delivery, OutgoingWrite } from "../tasks/outgoing.ts";
import { leaversOf, presentMembers } from "./members.ts";
import { NOT_SENT, sendWrite } from "./sharedwrites.ts";
import { networkOf } from "./topology.ts";

interface OutboxParts {
  instance: Pick<InstanceInterface, "outgoing" | "openOutgoing" | "noteDelivery" | "value" | "held">;
  outbound: OutboundClient;
  onTrouble(error: Error): void;
  /** Pause after the first failed attempt; doubled with each. Default: WAIT_MS_FIRST. */
  waitMsFirst?: number;
  /** For this long, no request waits for a server that kept one waiting in vain. Default: SLOW_MS. */
  slowMs?: number;
  /** For how long a server that was taken out is sent what waits for it. Default: FORMER_MS. */
  formerMs?: number;
}

/** How long the answer to a write waits for other servers: by then, its task usually knows theirs. */
const TRY_MS_MAX = 1_000;
const SLOW_MS = 60_000;
const WAIT_MS_FIRST = 500;
/** A server that is back waits no longer for what it has missed. */
const WAIT_MS_MAX = 5_000;
/** It may be starting anew. */
const FORMER_MS = 60_000;

const LEFT = { outcome: { error: "not sent: the remote has left the network" }, isFinal: true };

/** The sending of writes to one server. */
interface Lane {
  running: Promise<void>;
  /** Aborts the pause before the next attempt. */
  hurry: AbortController;
  /** Failed attempts of the first write. */
  failures: number;
}

export class Outbox {
  readonly #parts: OutboxParts;
  readonly #lanes = new Map<string, Lane>();
  readonly #closing = new AbortController();
  /** Remote -> the write and the reason that its task already shows. */
  readonly #told = new Map<string, string>();
  /** Remotes for which a request waited in vain -> until when, by performance.now(), no other one waits. */
  readonly #slow = new Map<string, number>();
  /** Servers before the last changes of the network, and when it was changed, by performance.now(). */
  readonly #former = new Map<string, { remote: Remote; at: number }>();
  /** Called when a lane has tried a write for the first time, or the write waits behind others. */
  readonly #tried = new Map<string, () => void>();

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    // Every lane listens; Node takes more than ten listeners for a leak and warns.
    setMaxListeners(0, this.#closing.signal);
    this.wake();
  }

  /**
   * Call it before a change of the network. What waits for a server that is taken out is sent all the same:
   * documents that it was to keep are nowhere else, and a server that leaves gives them back.
   */
  keep(remotes: Record<string, Remote>): void {
    const at = performance.now();
    for (const [name, remote] of Object.entries(remotes)) this.#former.set(name, { remote, at });
  }

  /** Sends waiting writes at once, because there is a new one or the network has changed. */
  wake(): void {
    if (this.#closing.signal.aborted) return;
    const names = new Set<string>();
    for (const { waiting } of this.#parts.instance.outgoing()) for (const name of waiting) names.add(name);
    for (const name of names) this.#start(name).hurry.abort();
  }

  /**
   * Call it when a write was registered. Fulfilled when every server that is neither behind nor slow was
   * tried once, but after `waitMs` at the latest.
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

  /** Aborts what is under way; it stays in the journal. */
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
    // Lets the caller note the lane before it does anything.
    await null;
    while (!this.#closing.signal.aborted) {
      const write = instance.outgoing().nextFor(name);
      // In the same turn that found nothing: a later call starts a new lane.
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
    const { self, remotes } = networkOf(instance);
    const former = this.#formerOf(name);
    const remote = Object.hasOwn(remotes, name) ? remotes[name] : former?.remote;
    if (!remote) return LEFT;
    if (instance.value(FEATURE_KIND, "network") !== true)
      return { outcome: { error: `${NOT_SENT}: the feature \`network\` is off` }, isFinal: false };
    const target = { name, remote, signal: this.#closing.signal };
    const file = openBody(instance, write);
    if (file instanceof Error) return { outcome: { error: `not sent: ${messageOf(file)}` }, isFinal: true };
    try {
      // Under its present name: others may know this server by no other one.
      const sent = { ...write, self: self ?? write.self };
      const isPresent = areSameMembers(write.members, presentMembers(instance));
      const marks = { isPresent, isHeld: instance.held().has(write.taskUid) };
      const { outcome, isFinal } = await sendWrite(outbound, target, sent, file, marks);
      if (isFinal || !("error" in outcome)) return { outcome, isFinal };
      const isMember = Object.hasOwn(networkOf(instance).remotes, name);
      const { formerMs = FORMER_MS } = this.#parts;
      if (!isMember && performance.now() - (former?.at ?? 0) >= formerMs) return LEFT;
      return { outcome: { error: `${NOT_SENT}: ${outcome.error}` }, isFinal };
    } finally {
      file?.close();
    }
  }

  #formerOf(name: string): { remote: Remote; at: number } | undefined {
    const leavers = leaversOf(this.#parts.instance);
    // Known from before a restart.
    if (!this.#former.has(name) && Object.hasOwn(leavers, name))
      this.#former.set(name, { remote: leavers[name], at: performance.now() });
    return this.#former.get(name);
  }

  /** A reason that the task already shows is not written again. */
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
