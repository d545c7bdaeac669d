// Tenant tokens: JSON Web Tokens that a client of the API signs with the value of one of its keys, so that
// the holder searches only what the rules inside allow. Called by credentials.ts.
//
//   token         base64url(header) "." base64url(claims) "." base64url(HMAC of both parts with the dot)
//   header        {"alg": "HS256" | "HS384" | "HS512", ...}
//   claims        {"apiKeyUid": UUID, "searchRules": rules, "exp": seconds since 1970 or null, ...}
//   rules         [PATTERN, ...] or {PATTERN: null | {"filter": FILTER}, ...}
//
// The format is RFC 7515. It is read here without a library, because libraries verify with promises, which
// takes longer than many a search.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { TarsierError } from "../errors.ts";
import { INDEX_PATTERN, uuidOf } from "../schemas/keys.ts";
import { invalidApiKey } from "./failures.ts";
import { IndexScope } from "./indexscope.ts";
import type { Key, KeyStore } from "./keystore.ts";

export interface TenantToken {
  /** The key whose value signed it. */
  readonly key: Key;
  readonly scope: IndexScope;
  /** Pattern -> its filter as it came, not checked yet. */
  readonly filters: ReadonlyMap<string, unknown>;
  /** Seconds since 1970; infinite when it does not expire. */
  readonly expiresSeconds: number;
}

/** @throws TarsierError `invalid_api_key`, unless the signature and the claims are valid */
export function readTenantToken(text: string, keys: KeyStore): TenantToken {
  if (!TOKEN.test(text)) throw invalidApiKey();
  const parts = text.split(".");
  const [header, claims] = parts.slice(0, 2).map(objectIn);
  if (!header || !claims) throw invalidApiKey();
  const uid = typeof claims.apiKeyUid === "string" ? uuidOf(claims.apiKeyUid) : null;
  if (uid === null) throw refusal("its claim `apiKeyUid` is not the uid of a key");
  const key = keys.byUid(uid);
  if (!key) throw invalidApiKey();
  if (header.crit !== undefined) throw refusal("its header has extensions (`crit`)");
  checkSignature(parts, HASHES.get(header.alg), key.value);
  if (claims.aud !== undefined) throw refusal("its claim `aud` names another audience");
  const rules = rulesIn(claims);
  return {
    key,
    scope: new IndexScope([...rules.keys()]),
    filters: rules,
    expiresSeconds: expirationIn(claims),
  };
}

const HASHES = new Map<unknown, string>([
  ["HS256", "sha256"],
  ["HS384", "sha384"],
  ["HS512", "sha512"],
]);

const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

type Claims = Record<string, unknown>;

function checkSignature(parts: string[], hash: string | undefined, secret: string): void {
  if (hash === undefined) throw refusal("it is not signed with HS256, HS384 or HS512");
  const digest = createHmac(hash, secret).update(`${parts[0]}.${parts[1]}`).digest("base64url");
  // Compared as texts: a decoder ignores surplus bits at the end, so one signature would have many spellings.
  const [expected, found] = [Buffer.from(digest), Buffer.from(parts[2])];
  if (found.length !== expected.length || !timingSafeEqual(found, expected))
    throw refusal("its signature does not fit");
}

function rulesIn({ searchRules }: Claims): Map<string, unknown> {
  const rules = Array.isArray(searchRules)
    ? searchRules.map((pattern): [unknown, unknown] => [pattern, null])
    : Object.entries(isObject(searchRules) ? searchRules : NO_RULES);
  if (!rules.every(isRule)) throw refusal(RULES_EXPECTED);
  return new Map(rules.map(([pattern, rule]) => [pattern, rule?.filter ?? null]));
}

/** Stands for rules of a wrong type: it is refused, since no pattern is empty. */
const NO_RULES = { "": null };
const RULES_EXPECTED =
  "its claim `searchRules` is neither a list of index patterns nor an object with a rule for each";

function isRule(entry: [unknown, unknown]): entry is [string, { filter?: unknown } | null] {
  const [pattern, rule] = entry;
  return typeof pattern === "string" && INDEX_PATTERN.test(pattern) && (rule === null || isObject(rule));
}

function expirationIn({ exp = null }: Claims): number {
  if (exp === null) return Number.POSITIVE_INFINITY;
  if (typeof exp !== "number" || !Number.isInteger(exp)) throw refusal("its claim `exp` is not an integer");
  return exp;
}

function objectIn(part: string): Claims | null {
  try {
    const text = Buffer.from(part, "base64url").toString();
    // A decoder reads even what is not base64url or UTF-8, but encoding the result then gives another text.
    if (Buffer.from(text).toString("base64url") !== part) return null;
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refusal(reason: string): TarsierError {
  return invalidApiKey(`: it is a tenant token, and ${reason}`);
}
