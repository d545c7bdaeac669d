// Finds out whose `Authorization` header a request has: that of the master key, an API key or a tenant token.
// Called by access.ts for every request of a guarded route.
//
// Headers that proved valid are remembered, so the next request with the same one costs a look-up and no
// digest. The runtime seeds the hash of that look-up, so its timing reveals nothing.
import { TarsierError } from "../errors.ts";
import { invalidApiKey } from "./failures.ts";
import { KeyAccess } from "./keyaccess.ts";
import type { KeyStore } from "./keystore.ts";
import { CREDENTIAL_REMEMBERED_LEN_MAX, CREDENTIALS_REMEMBERED_MAX } from "./limits.ts";
import { readTenantToken } from "./tenanttokens.ts";

type Holder = "master" | KeyAccess;

export class Credentials {
  readonly #keys: KeyStore;
  /** By header; least recently used first. */
  readonly #known = new Map<string, Holder>();

  constructor(keys: KeyStore) {
    this.#keys = keys;
  }

  /** @throws TarsierError `missing_authorization_header` or `invalid_api_key` */
  holderOf(authorization: string | undefined): Holder {
    const known = authorization === undefined ? undefined : this.#known.get(authorization);
    if (known === "master") return known;
    const isCurrent = known !== undefined && this.#keys.has(known.key);
    const holder = isCurrent ? known : this.#find(presentedKey(authorization));
    this.#remember(authorization!, holder);
    return holder;
  }

  #find(presented: Buffer): Holder {
    const digest = this.#keys.digest(presented);
    if (this.#keys.isMaster(digest)) return "master";
    const key = this.#keys.byDigest(digest) ?? this.#keys.byValue(presented);
    if (key) return new KeyAccess(key, null);
    const token = readTenantToken(presented.toString("latin1"), this.#keys);
    return new KeyAccess(token.key, token);
  }

  #remember(authorization: string, holder: Holder): void {
    const known = this.#known;
    if (authorization.length > CREDENTIAL_REMEMBERED_LEN_MAX) return;
    known.delete(authorization);
    if (known.size >= CREDENTIALS_REMEMBERED_MAX) known.delete(known.keys().next().value!);
    known.set(authorization, holder);
  }
}

/**
 * The part after `Bearer` and one space, as the bytes that were sent: a second space would belong to the key.
 * @throws TarsierError when there is no such part
 */
export function presentedKey(authorization: string | undefined): Buffer {
  const [scheme] = (authorization ?? "").split(" ", 1);
  if (scheme !== "Bearer") throw new TarsierError("missing_authorization_header");
  const text = authorization!.slice(scheme.length + 1);
  if (text === "") throw invalidApiKey(": none is given");
  return Buffer.from(text, "latin1");
}
