// Which `Authorization` headers are remembered, and until when keys and tokens are good.
import { deepEqual, doesNotThrow, equal, notDeepEqual, rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import { Credentials } from "../../src/http/credentials.ts";
import { KeyAccess } from "../../src/http/keyaccess.ts";
import { KeyStore } from "../../src/http/keystore.ts";
import { CREDENTIAL_REMEMBERED_LEN_MAX, CREDENTIALS_REMEMBERED_MAX } from "../../src/http/limits.ts";
import { readTenantToken } from "../../src/http/tenanttokens.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { Instance } from "../../src/tasks/instance.ts";
import { putKey } from "../../src/tasks/keys.ts";
import { FakeEngine } from "../tasks/fakeengine.ts";
import { bearer, keyValue, MASTER_KEY, READER_UID, storedKey, tenantToken } from "./keyring.ts";

class CountingStore extends KeyStore {
  digests = 0;

  override digest(value: Buffer): Buffer {
    this.digests++;
    return super.digest(value);
  }
}

async function openStore(expiresAt: string | null = null) {
  const storage = new MemoryStorage();
  const instance = await Instance.open({ storage, engine: new FakeEngine(storage) });
  await putKey(instance, storedKey(READER_UID, ["search"], ["*"], expiresAt));
  return { instance, store: new CountingStore(instance, MASTER_KEY) };
}

/** Tells whether a header has to be looked up. */
async function lookUps() {
  const { store } = await openStore();
  const credentials = new Credentials(store);
  return ({ authorization }: { authorization: string }) => {
    store.digests = 0;
    credentials.holderOf(authorization);
    return store.digests > 0;
  };
}

const tokenOf = async (claims: object) =>
  bearer(await tenantToken({ searchRules: ["*"], ...claims }, { uid: READER_UID }));

test("a header that was found good is not looked up again, unless it is very long", async () => {
  const isLookedUp = await lookUps();
  const long = await tokenOf({ more: "m".repeat(CREDENTIAL_REMEMBERED_LEN_MAX) });
  for (const [header, again] of [
    [bearer(MASTER_KEY), false],
    [bearer(keyValue(READER_UID)), false],
    [await tokenOf({}), false],
    [long, true],
  ] as const)
    deepEqual([isLookedUp(header), isLookedUp(header)], [true, again]);
});

test("a header that was found good opens what its key allows now, also one made anew", async () => {
  const { store } = await openStore();
  const credentials = new Credentials(store);
  const actionsOf = async (header: { authorization: string }) => {
    const holder = credentials.holderOf(header.authorization);
    return holder === "master" ? [] : [...holder.key.actions];
  };
  const headers = [bearer(keyValue(READER_UID)), await tokenOf({})];
  for (const header of headers) deepEqual(await actionsOf(header), ["search"]);
  await store.remove(READER_UID);
  await store.create({ uid: READER_UID, actions: ["tasks.get"], indexes: ["*"], expiresAt: null });
  for (const header of headers) deepEqual(await actionsOf(header), ["tasks.get"]);
});

test("a value opens in digits of either case, and its digest is another one in every process", async () => {
  const { instance, store } = await openStore();
  const value = keyValue(READER_UID);
  const holder = new Credentials(store).holderOf(bearer(value.toUpperCase()).authorization);
  equal(holder === "master" || holder.key, store.byUid(READER_UID));
  const other = new KeyStore(instance, MASTER_KEY);
  notDeepEqual(other.digest(Buffer.from(value)), store.digest(Buffer.from(value)));
});

test("the headers that were used last are remembered, and the one before them makes room", async () => {
  const isLookedUp = await lookUps();
  const numbers = Array.from({ length: CREDENTIALS_REMEMBERED_MAX + 1 }, (_, number) => number);
  const all = await Promise.all(numbers.map((number) => tokenOf({ number })));
  const [first, second] = all;
  const [newest, last] = [all.at(-1)!, all.at(-2)!];
  for (const header of all.slice(0, -1)) isLookedUp(header);
  deepEqual([last, first, newest, first, second].map(isLookedUp), [false, false, true, false, true]);
});

test("a key is good until its moment, a token until the end of its second", async () => {
  const { store } = await openStore("2050-01-01T00:00:10Z");
  const moment = Date.UTC(2050, 0, 1, 0, 0, 10);
  const key = new KeyAccess(store.byUid(READER_UID)!, null);
  doesNotThrow(() => key.checkExpiry(moment - 1));
  throws(() => key.checkExpiry(moment), { code: "invalid_api_key" });
  const second = moment / 1000 - 5;
  const { authorization } = await tokenOf({ exp: second });
  const token = readTenantToken(authorization.slice("Bearer ".length), store);
  const access = new KeyAccess(token.key, token);
  doesNotThrow(() => access.checkExpiry(second * 1000 + 999));
  throws(() => access.checkExpiry(second * 1000 + 1000), { code: "invalid_api_key" });
});

test("a stored key whose end cannot be read opens nothing", async () => {
  const { store } = await openStore("some day");
  const key = new KeyAccess(store.byUid(READER_UID)!, null);
  throws(() => key.checkExpiry(Date.now()), { code: "invalid_api_key" });
});

test("keys stay as they were when a change of them cannot be stored", async () => {
  const { instance, store } = await openStore();
  instance.put = () => Promise.reject(new Error("disk full"));
  const before = store.list(0, 10);
  await rejects(store.remove(READER_UID), /disk full/);
  await rejects(store.update(READER_UID, { name: "n" }), /disk full/);
  await rejects(store.create({ actions: ["*"], indexes: ["*"], expiresAt: null }), /disk full/);
  deepEqual(store.list(0, 10), before);
  equal(before.total, 1);
});
