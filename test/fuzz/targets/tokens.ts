// Tenant tokens: what is accepted has a signature that another library accepts as well, and rules that are
// rules.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { compactVerify } from "jose";
import { KeyStore } from "../../../src/http/keystore.ts";
import { readTenantToken } from "../../../src/http/tenanttokens.ts";
import { MemoryStorage } from "../../../src/storage/memory.ts";
import { putKey } from "../../../src/tasks/keys.ts";
import { openFixture } from "../../crash/localfixture.ts";
import type { Random } from "../../crash/random.ts";
import { keyValue, MASTER_KEY, READER_UID, storedKey } from "../../http/keyring.ts";
import { isAccepted, type Target } from "../fuzzing.ts";
import { anyValue, changedText } from "../making.ts";

const NAMES = ["alg", "HS256", "none", "apiKeyUid", "searchRules", "exp", "filter", "*", "a", READER_UID];
const PARTS = [".", "..", "eyJhbGciOiJub25lIn0", "=", "-", "_", "e30", "\n"];

export const tokenTargets: Target[] = [{ name: "tokens", slice: 150, open }];

async function open() {
  const { instance } = await openFixture(new MemoryStorage());
  await putKey(instance, storedKey(READER_UID, ["search"]));
  const keys = new KeyStore(instance, MASTER_KEY);
  const secret = new TextEncoder().encode(keyValue(READER_UID));
  return {
    make(random: Random) {
      const token = signed(random);
      return random.chance(0.4) ? changedText(random, token, PARTS) : token;
    },
    async take(input: string | Uint8Array) {
      let rules: unknown = null;
      const taken = await isAccepted(() => {
        rules = readTenantToken(String(input), keys).filters;
      });
      if (taken) {
        await compactVerify(String(input), secret);
        assert.ok(rules instanceof Map && [...rules.keys()].every((pattern) => typeof pattern === "string"));
      }
      return taken;
    },
    close: () => instance.close(),
  };
}

/** A token with claims of all kinds, most of the time with the signature that belongs to it. */
function signed(random: Random): string {
  const often = <T>(usual: T, part = 0.85) => (random.chance(part) ? usual : anyValue(random, NAMES));
  const header = often({ alg: random.of(["HS256", "HS384", "HS512", "none", "hs256"]), typ: "JWT" });
  const rules = random.of<unknown>([["*"], ["a", "b*"], { "*": { filter: "a = 1" } }, { a: null }, {}, []]);
  const claims = often({ apiKeyUid: often(READER_UID), searchRules: often(rules), exp: often(null, 0.6) });
  const parts = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const { alg } = (header ?? {}) as { alg?: unknown };
  const hash = alg === "HS384" || alg === "HS512" ? `sha${alg.slice(2)}` : "sha256";
  const secret = random.chance(0.95) ? keyValue(READER_UID) : "";
  const signature = createHmac(hash, secret).update(parts.join(".")).digest("base64url");
  return [...parts, signature].join(".");
}
