// What the log is told of webhooks that fail: the first failure at once, then at most one line in a minute
// with how many there were since the line before, and one line when the webhook takes calls again. Made by
// src/node.ts between webhookdelivery.ts and the log.
import type { Webhook } from "./webhooks.ts";

export interface TroubleLines {
  /** `others`: failures since the last line that had none of their own. */
  failed(webhook: Webhook, problem: string, others: number): void;
  recovered(webhook: Webhook, others: number): void;
}

/** Between two lines about one webhook. */
const LINE_MS = 60_000;
/** Webhooks that are gone leave their entry: the oldest makes room, which costs a line at most. */
const TROUBLES_MAX = 100;

interface Trouble {
  /** When its last line was written. */
  toldMs: number;
  others: number;
}

export class WebhookTroubles {
  readonly #lines: TroubleLines;
  readonly #now: () => number;
  /** By uuid: webhooks whose last call failed. */
  readonly #troubles = new Map<string, Trouble>();

  /** `now`: milliseconds of any clock that does not go back. */
  constructor(lines: TroubleLines, now = () => performance.now()) {
    this.#lines = lines;
    this.#now = now;
  }

  failed(webhook: Webhook, problem: string): void {
    const known = this.#troubles.get(webhook.uuid);
    if (known !== undefined && this.#now() - known.toldMs < LINE_MS) {
      known.others++;
      return;
    }
    if (known === undefined && this.#troubles.size >= TROUBLES_MAX) {
      const [oldest] = this.#troubles.keys();
      this.#troubles.delete(oldest);
    }
    this.#troubles.set(webhook.uuid, { toldMs: this.#now(), others: 0 });
    this.#lines.failed(webhook, problem, known?.others ?? 0);
  }

  delivered(webhook: Webhook): void {
    const known = this.#troubles.get(webhook.uuid);
    if (known === undefined) return;
    this.#troubles.delete(webhook.uuid);
    this.#lines.recovered(webhook, known.others);
  }
}
