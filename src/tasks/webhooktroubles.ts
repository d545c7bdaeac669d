// What the log says of webhooks that fail: the first failure at once, then at most one line a minute, with
// the number of failures since the line before; and one line when a webhook that was reported takes calls
// again. Made by src/node.ts, between webhookdelivery.ts and the log.
import type { Webhook } from "./webhooks.ts";

interface TroubleLines {
  /** `others`: failures since the last line that were not reported themselves. */
  failed(webhook: Webhook, problem: string, others: number): void;
  recovered(webhook: Webhook, others: number): void;
}

/** Least time between two lines about one webhook. */
const LINE_MS = 60_000;
/** Deleted webhooks leave their entry: the oldest entry makes room, which costs one line at most. */
const TROUBLES_MAX = 100;

interface Trouble {
  /** When the log was last told of a failure. */
  toldMs: number;
  others: number;
  /** Whether the last line reported a failure. */
  isOpen: boolean;
}

export class WebhookTroubles {
  readonly #lines: TroubleLines;
  readonly #now: () => number;
  /** By uuid; kept when a webhook recovers, since it may fail again within the minute. */
  readonly #troubles = new Map<string, Trouble>();

  /** `now`: milliseconds of any monotonic clock. */
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
    this.#troubles.set(webhook.uuid, { toldMs: this.#now(), others: 0, isOpen: true });
    this.#lines.failed(webhook, problem, known?.others ?? 0);
  }

  delivered(webhook: Webhook): void {
    const known = this.#troubles.get(webhook.uuid);
    if (!known?.isOpen) return;
    this.#lines.recovered(webhook, known.others);
    known.isOpen = false;
    known.others = 0;
  }
}
