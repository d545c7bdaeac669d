// The webhooks of an instance: those made over HTTP, kept in the journal (Instance.put, by uuid), and the
// reserved one of the command line, which lives as long as the process. Called by the routes
// (src/http/webhooks.ts) and by webhookdelivery.ts.
import { validateHeaderName, validateHeaderValue } from "node:http";
import { TarsierError } from "../errors.ts";
import type { Options } from "../options.ts";
import { isHttpUrl } from "../outbound/urls.ts";
import { foundIn } from "../schemas/phrases.ts";
import type { InstanceInterface } from "./instanceinterface.ts";

/** What is stored; dumps hold the same. */
export interface StoredWebhook {
  url: string;
  headers: Record<string, string>;
}

export interface Webhook extends StoredWebhook {
  uuid: string;
  isEditable: boolean;
}

/** Kind under which the instance keeps webhooks. */
export const WEBHOOK_KIND = "webhook";
/** Without the reserved one. */
const WEBHOOK_COUNT_MAX = 20;
const WEBHOOK_HEADER_COUNT_MAX = 200;
/** Nobody may change it, whether or not it exists. */
export const RESERVED_UUID = "00000000-0000-0000-0000-000000000000";

export type WebhookOptions = Pick<Options, "taskWebhookUrl" | "taskWebhookAuthorizationHeader">;
type Journal = Pick<InstanceInterface, "value" | "values" | "put">;
type HeaderPatch = Record<string, string | null>;

const URL_PLACE = "Field `.url`";
const HEADERS_PLACE = "Field `.headers`";

export class Webhooks {
  readonly #journal: Journal;
  readonly #reserved: Webhook | null;
  readonly #onChange: (uuid: string) => void;
  /** Changes run one after the other: each is checked against the result of the one before. */
  #change: Promise<unknown> = Promise.resolve();

  /**
   * `onChange`: a webhook has changed or is gone.
   * @throws TarsierError when the options describe no valid webhook
   */
  constructor(journal: Journal, options: WebhookOptions, onChange: (uuid: string) => void = () => {}) {
    this.#journal = journal;
    this.#onChange = onChange;
    this.#reserved = reservedWebhook(options);
  }

  /** By uuid, the reserved one first. */
  list(): Webhook[] {
    const stored = this.#journal.values(WEBHOOK_KIND).map(([uuid, value]) => editable(uuid, value));
    stored.sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
    return this.#reserved ? [this.#reserved, ...stored] : stored;
  }

  /** `uuid`: in lower case. */
  get(uuid: string): Webhook {
    if (uuid === this.#reserved?.uuid) return this.#reserved;
    const value = this.#journal.value(WEBHOOK_KIND, uuid);
    if (value === undefined) throw new TarsierError("webhook_not_found", { uuid });
    return editable(uuid, value);
  }

  /** A header whose value is null becomes empty. The checks run in the order that clients know. */
  create(url: string, headers: HeaderPatch): Promise<Webhook> {
    return this.#alone(() => {
      const values = filled(headers);
      checkHeaderCount(values);
      if (this.#journal.values(WEBHOOK_KIND).length >= WEBHOOK_COUNT_MAX)
        throw new TarsierError("invalid_webhooks", { limit: WEBHOOK_COUNT_MAX });
      return this.#store(globalThis.crypto.randomUUID(), url, values);
    });
  }

  /** Undefined keeps a value; `headers` are merged by name; `headers` null removes all of them. */
  update(
    uuid: string,
    url: string | null | undefined,
    headers: HeaderPatch | null | undefined,
  ): Promise<Webhook> {
    return this.#alone(async () => {
      const webhook = this.#editable(uuid);
      const left = headers === null ? {} : merged(webhook.headers, headers ?? {});
      checkHeaderCount(left);
      const stored = await this.#store(uuid, url === undefined ? webhook.url : (url ?? ""), left);
      if (JSON.stringify(stored) !== JSON.stringify(webhook)) this.#onChange(uuid);
      return stored;
    });
  }

  delete(uuid: string): Promise<void> {
    return this.#alone(async () => {
      this.#editable(uuid);
      await this.#journal.put(WEBHOOK_KIND, uuid, null);
      this.#onChange(uuid);
    });
  }

  #alone<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#change.then(change);
    this.#change = result.catch(() => {});
    return result;
  }

  #editable(uuid: string): Webhook {
    if (uuid === RESERVED_UUID) throw new TarsierError("immutable_webhook", { uuid });
    return this.get(uuid);
  }

  async #store(uuid: string, url: string, headers: Record<string, string>): Promise<Webhook> {
    if (url === "") throw refusedUrl(url, URL_PLACE);
    checkHeaders(headers, HEADERS_PLACE);
    checkUrl(url, URL_PLACE);
    await this.#journal.put(WEBHOOK_KIND, uuid, { url, headers } satisfies StoredWebhook);
    return { uuid, isEditable: true, url, headers };
  }
}

function editable(uuid: string, value: unknown): Webhook {
  return { uuid, isEditable: true, ...(value as StoredWebhook) };
}

function reservedWebhook(options: WebhookOptions): Webhook | null {
  const { taskWebhookUrl: url, taskWebhookAuthorizationHeader: authorization } = options;
  if (url === null) return null;
  const headers: Record<string, string> = authorization === null ? {} : { Authorization: authorization };
  checkUrl(url, "Option `--task-webhook-url`");
  checkHeaders(headers, "Option `--task-webhook-authorization-header`");
  return { uuid: RESERVED_UUID, isEditable: false, url: new URL(url).href, headers };
}

function merged(headers: Record<string, string>, patch: HeaderPatch): Record<string, string> {
  const entries = Object.entries({ ...headers, ...patch });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}

function filled(headers: HeaderPatch): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value ?? ""]));
}

function checkUrl(url: string, place: string): void {
  if (!isHttpUrl(url)) throw refusedUrl(url, place);
}

function refusedUrl(url: string, place: string): TarsierError {
  const expected = "an absolute http or https URL";
  const found = url === "" ? "none" : foundIn(url);
  return new TarsierError("invalid_webhook_url", { place, expected, found });
}

function checkHeaderCount(headers: Record<string, string>): void {
  const { length } = Object.keys(headers);
  if (length <= WEBHOOK_HEADER_COUNT_MAX) return;
  throw refusedHeaders(HEADERS_PLACE, `at most ${WEBHOOK_HEADER_COUNT_MAX} headers`, String(length));
}

function checkHeaders(headers: Record<string, string>, place: string): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!isLegal(() => validateHeaderName(name)))
      throw refusedHeaders(place, "names of HTTP headers", foundIn(name));
    if (isLegal(() => validateHeaderValue(name, value))) continue;
    // The value may be a secret, so the message does not show it.
    const found = `a value of \`${name}\` that has other characters`;
    throw refusedHeaders(place, "values that a header can hold", found);
  }
}

function refusedHeaders(place: string, expected: string, found: string): TarsierError {
  return new TarsierError("invalid_webhook_headers", { place, expected, found });
}

function isLegal(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
