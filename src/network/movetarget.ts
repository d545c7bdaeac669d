// A member of the network that gets documents which were kept elsewhere: it is given the index if it lacks
// it, then documents, and is asked which of them it has. Called by moving.ts.
import { isDeepStrictEqual } from "node:util";
import { defaultSettings } from "../engine/defaultsettings.ts";
import { shownSettings } from "../engine/settingsview.ts";
import type { OutboundClient } from "../outbound/client.ts";
import { OutboundFailure } from "../outbound/failure.ts";
import type { Remote } from "../schemas/network.ts";
import type { Settings } from "../schemas/settings.ts";
import { idIn } from "./jsonparts.ts";
import { askMember, isGranted, type Question } from "./question.ts";
import { readList } from "./remotelist.ts";
import { quoted, remoteUrl } from "./remoterequest.ts";
import { memberHeaders, objectIn, type WriteOrigin } from "./sharedwrites.ts";

const REQUEST_MS_MAX = 20_000;
/** Nothing else runs while a member is asked. */
const QUESTION_MS_MAX = 4_000;
const FORBIDDEN: readonly number[] = [401, 403];

/** The member refuses, or does not answer. */
export class MemberAway extends Error {}

interface MoveTargetParts {
  outbound: OutboundClient;
  name: string;
  remote: Remote;
  origin: WriteOrigin;
  signal: AbortSignal;
}

type Body = { json: unknown } | { lines: Uint8Array };

export class MoveTarget {
  readonly #parts: MoveTargetParts;

  constructor(parts: MoveTargetParts) {
    this.#parts = parts;
  }

  /**
   * Asks for what the member has to do first; it holds writes from now on. Returns whether it has the index.
   * @throws MemberAway also while it has not done it, or sees other members
   */
  async ask(uid: string, needs: Question["needs"]): Promise<boolean> {
    const { outbound, remote, origin, signal } = this.#parts;
    const question = { ...origin, needs };
    const limits = { timeoutMs: QUESTION_MS_MAX, signal };
    const asked = askMember(outbound, remote, { uid, question }, limits);
    const { status, text } = await asked.catch((error) => this.#unreached(error));
    if (!isGranted(status)) throw this.#refused(status, text);
    return status === 200;
  }

  /** Makes the index with these settings, unless it exists. @throws MemberAway as `ask` does */
  async ensureIndex(
    uid: string,
    primaryKey: string | null,
    settings: () => Promise<Settings>,
  ): Promise<void> {
    if (await this.ask(uid, "delivery")) return;
    // The request with the settings makes the index: either side may be killed between two requests, and an
    // index that exists is not given settings later.
    await this.#expect("PATCH", `/indexes/${uid}/settings`, { json: await settings() });
    if (primaryKey !== null) await this.#expect("PATCH", `/indexes/${uid}`, { json: { primaryKey } });
  }

  /**
   * Gives the index those settings that are still the default there. A member that keeps its own, because its
   * key is for documents only, is let alone.
   */
  async alignSettings(uid: string, settings: Settings): Promise<void> {
    const path = `/indexes/${uid}/settings`;
    const { status, text } = await this.#request("GET", path, null);
    if (FORBIDDEN.includes(status)) return;
    if (status !== 200 && status !== 404) throw this.#refused(status, text);
    const changed = unalignedSettings(settings, status === 404 ? {} : objectIn(text));
    if (Object.keys(changed).length === 0) return;
    const answer = await this.#request("PATCH", path, { json: changed });
    if (answer.status !== 202 && !FORBIDDEN.includes(answer.status))
      throw this.#refused(answer.status, answer.text);
  }

  /** Fulfilled when the member has made the documents durable. @throws MemberAway */
  async send(uid: string, primaryKey: string, lines: Uint8Array): Promise<void> {
    const path = `/indexes/${uid}/documents?${new URLSearchParams({ primaryKey })}`;
    await this.#expect("PUT", path, { lines });
  }

  /** Which of these documents the member has by now: their ids as texts. @throws MemberAway */
  async found(uid: string, primaryKey: string, ids: readonly string[]): Promise<Set<string>> {
    const query = { ids, fields: [primaryKey], limit: ids.length, useNetwork: false };
    const { status, text } = await this.#request("POST", `/indexes/${uid}/documents/fetch`, { json: query });
    if (status === 404) return new Set();
    if (status !== 200) throw this.#refused(status, text);
    const { results } = await readList(Buffer.from(text), false);
    return new Set(results.map((line) => idIn(line, primaryKey)));
  }

  async #expect(method: "POST" | "PUT" | "PATCH", path: string, body: Body): Promise<void> {
    const { status, text } = await this.#request(method, path, body);
    if (status !== 202) throw this.#refused(status, text);
  }

  async #request(
    method: "GET" | "POST" | "PUT" | "PATCH",
    path: string,
    body: Body | null,
  ): Promise<{ status: number; text: string }> {
    const { outbound, remote, origin, signal } = this.#parts;
    const type = body && { "content-type": "json" in body ? "application/json" : "application/x-ndjson" };
    const headers = { ...type, ...memberHeaders(remote, origin) };
    const sent = body && ("json" in body ? JSON.stringify(body.json) : body.lines);
    const options = { method, headers, body: sent, timeoutMs: REQUEST_MS_MAX, signal };
    const sending = outbound.request(remoteUrl(remote, path), options);
    const answer = await sending.catch((error) => this.#unreached(error));
    return { status: answer.status, text: Buffer.from(answer.body).toString() };
  }

  /** @throws MemberAway without addresses; other errors as they are */
  #unreached(error: unknown): never {
    if (!(error instanceof OutboundFailure)) throw error;
    const reason = error.reason === "timeout" ? error.message : "error sending request";
    throw new MemberAway(`the remote \`${this.#parts.name}\`: ${reason}`);
  }

  #refused(status: number, text: string): MemberAway {
    const { name, remote } = this.#parts;
    return new MemberAway(`the remote \`${name}\`: status ${status}: ${quoted(text, remote.writeApiKey)}`);
  }
}

/** What of the settings is missing where `theirs` are shown: they are the default there, and not here. */
function unalignedSettings(settings: Settings, theirs: Record<string, unknown>): Record<string, unknown> {
  const defaults = shownSettings(defaultSettings());
  const own = shownSettings(settings);
  const missing = Object.entries(settings).filter(
    ([name]) =>
      Object.hasOwn(defaults, name) &&
      !isDeepStrictEqual(own[name], defaults[name]) &&
      (!Object.hasOwn(theirs, name) || isDeepStrictEqual(theirs[name], defaults[name])),
  );
  return Object.fromEntries(missing);
}
