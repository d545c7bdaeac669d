// Ends the hold on writes (tasks/heldwrites.ts) when no server of the network has documents to move any more:
// asks them when held writes are all that is left to do. Where a server is away, or has not been told of the
// present members, no documents move at all; the others do not wait for it, and end the hold together, as a
// write that runs on some of them only could be overtaken by documents. Opened by src/http/server.ts.
//
//   held writes -> asks all others -> given, or stuck there, too -> released
//                                     not yet                    -> asked again
//                                     away, refuses              -> stuck, after a while
import { setTimeout as wait } from "node:timers/promises";
import { areSameMembers } from "../engine/shard.ts";
import type { OutboundClient } from "../outbound/client.ts";
import type { Remote } from "../schemas/network.ts";
import type { InstanceInterface } from "../tasks/instanceinterface.ts";
import { leaversOf, putLeavers } from "./members.ts";
import { askMember, isGranted } from "./question.ts";
import { objectIn } from "./sharedwrites.ts";
import { hasGiven } from "./spread.ts";
import { standstillOf } from "./standstill.ts";
import { networkOf, targetsOf } from "./topology.ts";

interface ReleaseParts {
  instance: Pick<InstanceInterface, "value" | "put" | "held" | "hold" | "indexes" | "on">;
  outbound: OutboundClient;
  onTrouble(error: Error): void;
  /** See WAIT_MS_MAX. */
  waitMsMax?: number;
}

/**
 * For how long a server is waited for that is away, though it has answered before, or sees other members: it
 * may be starting anew, or be the next that is told of them. Less than MOVES_MS_MAX in standstill.ts: who
 * waits for one that is away must not look to the others as if it had stopped.
 */
const WAIT_MS_MAX = 15_000;
const REQUEST_MS_MAX = 3_000;
const POLL_MS = 50;

type Answer = "given" | "moving" | "refused" | "away";

export class Release {
  readonly #parts: ReleaseParts;
  readonly #closing = new AbortController();
  #running: Promise<void> | null = null;
  #isWanted = false;
  /** Whose writes are or were held. */
  #members: readonly string[] = [];
  /** Servers that are away, or refuse, and since when, by performance.now(). */
  readonly #since = new Map<string, { answer: Answer; at: number }>();
  /** Servers that have ever answered. */
  readonly #reached = new Set<string>();

  constructor(parts: ReleaseParts) {
    this.#parts = parts;
    parts.instance.on("held", () => this.wake());
    this.wake();
  }

  /** Call it when writes are held, and nothing else runs, and when another server asks for its own writes. */
  wake(): void {
    this.#isWanted = true;
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#closing.signal.aborted) {
      this.#isWanted = false;
      try {
        await this.#releaseWhenGiven();
      } catch (error) {
        this.#parts.onTrouble(error as Error);
      }
    }
    this.#running = null;
  }

  async #releaseWhenGiven(): Promise<void> {
    const { instance } = this.#parts;
    const held = instance.held();
    while (!this.#closing.signal.aborted) {
      const { members } = held;
      if (members === null) return;
      if (!areSameMembers(members, this.#members)) this.#begin(members);
      const isDone = await this.#hasNothingToWaitFor(members);
      if (this.#closing.signal.aborted || !held.isAny()) return;
      if (isDone && held.members && areSameMembers(members, held.members)) {
        // In one go: the network may change at any time.
        await Promise.all([putLeavers(instance, {}), instance.hold(null)]);
        return;
      }
      await wait(POLL_MS, null, { signal: this.#closing.signal }).catch(() => null);
    }
  }

  /** A server that is away does not become another one by a change of the members. */
  #begin(members: readonly string[]): void {
    this.#members = members;
    for (const [name, { answer }] of this.#since) if (answer !== "away") this.#since.delete(name);
    standstillOf(this.#parts.instance).isStuck = false;
  }

  async #hasNothingToWaitFor(members: readonly string[]): Promise<boolean> {
    const { instance, waitMsMax = WAIT_MS_MAX } = this.#parts;
    const network = networkOf(instance);
    const others = targetsOf({ ...network, remotes: { ...leaversOf(instance), ...network.remotes } });
    const waits = await Promise.all(
      others.map(async ({ name, remote }): Promise<"given" | "moving" | "stuck"> => {
        const answer = await this.#ask(name, remote, members);
        const waitedMs = this.#waitedMs(name, answer);
        if (answer === "given" || answer === "moving") return answer;
        if (this.#reached.has(name) && waitedMs < waitMsMax) return "moving";
        // At once: others may wait for it to answer.
        standstillOf(instance).isStuck = true;
        return "stuck";
      }),
    );
    standstillOf(instance).isStuck = waits.includes("stuck");
    return !waits.includes("moving") && hasGiven(instance);
  }

  /** For how long the server has been away, or refused. */
  #waitedMs(name: string, answer: Answer): number {
    if (answer !== "away") this.#reached.add(name);
    const now = performance.now();
    if (answer === "given" || answer === "moving") this.#since.delete(name);
    else this.#since.set(name, { answer, at: this.#since.get(name)?.at ?? now });
    return now - (this.#since.get(name)?.at ?? now);
  }

  async #ask(name: string, remote: Remote, members: readonly string[]): Promise<Answer> {
    const { instance, outbound } = this.#parts;
    const { self } = networkOf(instance);
    const shard = { self: name, members: [...members] };
    const question = { remoteName: self ?? "", taskUid: 0, shard, needs: "given" } as const;
    // Any index will do, also one that is not there; a key may be for some only.
    const [index] = instance.indexes(0, 1, null).results;
    const uid = index?.uid ?? "-";
    const limits = { timeoutMs: REQUEST_MS_MAX, signal: this.#closing.signal };
    try {
      const { status, text } = await askMember(outbound, remote, { uid, question }, limits);
      if (isGranted(status)) return "given";
      if (objectIn(text).code === "network_documents_moving") return "moving";
      return status === 400 ? "refused" : "away";
    } catch {
      return "away";
    }
  }
}
