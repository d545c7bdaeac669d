// The API keys of the instance, with what is derived from them: their values, made of uid and master key, and
// what they allow. access.ts looks up the keys that requests present; keys.ts manages them.
//
// A presented value is looked up by a digest with a new salt at every start, so neither the table nor the
// duration of a look-up reveals anything about values.
import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { TarsierError } from "../errors.ts";
import { type ActionName, expandActions } from "../schemas/actions.ts";
import { expiryOf, type KeyBody, type KeyPatch, uuidOf } from "../schemas/keys.ts";
import type { Instance } from "../tasks/instance.ts";
import { KEY_KIND, putKey, type StoredKey, storedKeys } from "../tasks/keys.ts";
import { Clock, momentText } from "../tasks/time.ts";
import { IndexScope } from "./indexscope.ts";

/** A key, with what it allows. */
export interface Key {
  readonly stored: StoredKey;
  /** The secret: 64 hexadecimal digits. */
  readonly value: string;
  readonly actions: ReadonlySet<ActionName>;
  readonly scope: IndexScope;
  /** Milliseconds since 1970; infinite for a key that does not expire. */
  readonly expiresMs: number;
}

/** A key as the routes show it. */
interface KeyView extends Omit<StoredKey, "createdAt" | "updatedAt"> {
  key: string;
  createdAt: string;
  updatedAt: string;
}

export class KeyStore {
  readonly #instance: Instance;
  readonly #masterKey: string;
  readonly #salt = randomBytes(SALT_BYTES);
  readonly #masterDigest: Buffer;
  readonly #clock: Clock;
  readonly #byUid = new Map<string, Key>();
  readonly #byDigest = new Map<string, Key>();
  /** Changes run one after the other: each starts from the state that the one before left. */
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(instance: Instance, masterKey: string) {
    this.#instance = instance;
    this.#masterKey = masterKey;
    this.#masterDigest = this.digest(Buffer.from(masterKey));
    const stored = storedKeys(instance);
    this.#clock = new Clock(stored[stored.length - 1]?.createdAt);
    for (const key of stored) this.#add(key);
  }

  digest(value: Buffer): Buffer {
    return createHash("sha256").update(this.#salt).update(value).digest();
  }

  isMaster(digest: Buffer): boolean {
    return timingSafeEqual(digest, this.#masterDigest);
  }

  byDigest(digest: Buffer): Key | undefined {
    return this.#byDigest.get(digest.toString("latin1"));
  }

  /** As byDigest; the hexadecimal digits may be upper case. */
  byValue(value: Buffer): Key | undefined {
    const text = value.toString("latin1");
    return VALUE.test(text) ? this.byDigest(this.digest(Buffer.from(text.toLowerCase()))) : undefined;
  }

  /** Whether a key that was found before still exists, unchanged. */
  has(key: Key): boolean {
    return this.#byUid.get(key.stored.uid) === key;
  }

  byUid(uid: string): Key | undefined {
    return this.#byUid.get(uid);
  }

  /** Newest first. */
  list(offset: number, limit: number): { results: KeyView[]; total: number } {
    const keys = [...this.#byUid.values()].reverse();
    return { results: keys.slice(offset, offset + limit).map(viewOf), total: keys.length };
  }

  /** Accepts a uid or a value. */
  get(uidOrValue: string): KeyView {
    return viewOf(this.#find(uidOrValue));
  }

  create(body: KeyBody): Promise<KeyView> {
    return this.#change(async () => {
      const uid = (body.uid && uuidOf(body.uid)) ?? randomUUID();
      if (this.#byUid.has(uid)) throw new TarsierError("api_key_already_exists", { uid });
      const { name = null, description = null, actions, indexes } = body;
      const expiresAt = body.expiresAt === null ? null : expiryOf(body.expiresAt)!.text;
      const now = this.#clock.now();
      const stored = { uid, name, description, actions, indexes, expiresAt, createdAt: now, updatedAt: now };
      await putKey(this.#instance, stored);
      return viewOf(this.#add(stored));
    });
  }

  update(uidOrValue: string, patch: KeyPatch): Promise<KeyView> {
    return this.#change(async () => {
      const { stored } = this.#find(uidOrValue);
      const { name = stored.name, description = stored.description } = patch;
      const changed = { ...stored, name, description, updatedAt: this.#clock.now() };
      await putKey(this.#instance, changed);
      return viewOf(this.#add(changed));
    });
  }

  remove(uidOrValue: string): Promise<void> {
    return this.#change(async () => {
      const { stored, value } = this.#find(uidOrValue);
      await this.#instance.put(KEY_KIND, stored.uid, null);
      this.#byUid.delete(stored.uid);
      this.#byDigest.delete(this.digest(Buffer.from(value)).toString("latin1"));
    });
  }

  #find(uidOrValue: string): Key {
    const uid = uuidOf(uidOrValue);
    const key = uid === null ? this.byValue(Buffer.from(uidOrValue)) : this.#byUid.get(uid);
    // An unknown value may be that of a deleted key, or a mistyped one, so the message does not repeat it.
    if (!key) throw new TarsierError("api_key_not_found", { key: uid ? `uid \`${uid}\`` : "this value" });
    return key;
  }

  #add(stored: StoredKey): Key {
    const value = createHmac("sha256", this.#masterKey).update(stored.uid).digest("hex");
    const expiresMs = stored.expiresAt === null ? Infinity : (expiryOf(stored.expiresAt)?.milliseconds ?? 0);
    const scope = new IndexScope(stored.indexes);
    const key = { stored, value, actions: expandActions(stored.actions), scope, expiresMs };
    this.#byUid.set(stored.uid, key);
    this.#byDigest.set(this.digest(Buffer.from(value)).toString("latin1"), key);
    return key;
  }

  #change<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = this.#lastChange.then(change);
    this.#lastChange = result.catch(() => {});
    return result;
  }
}

const SALT_BYTES = 32;
const VALUE = /^[\dA-Fa-f]{64}$/;

function viewOf({ stored, value }: Key): KeyView {
  const { uid, name, description, actions, indexes, expiresAt } = stored;
  const createdAt = momentText(stored.createdAt);
  const updatedAt = momentText(stored.updatedAt);
  return { name, description, key: value, uid, actions, indexes, expiresAt, createdAt, updatedAt };
}
