// What a write is registered with on a server that shares documents: by a client, and by another server.
import assert, { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import type { SharedWrite, WriteOrigin } from "../../src/network/sharedwrites.ts";
import { addDocuments } from "../../src/operations/documentwrites.ts";
import { FULL_ACCESS, type OperationServices, type Requester } from "../../src/operations/services.ts";
import { sharingOf } from "../../src/operations/sharing.ts";
import { PayloadDraft } from "../../src/tasks/payloads.ts";
import type { Registration } from "../../src/tasks/registration.ts";

const MEMBERS = ["a", "b", "c"];
const remote = { url: "http://none", searchApiKey: null, writeApiKey: null };
const networkOf = (names: readonly string[]) => ({
  self: "a",
  sharding: true,
  remotes: Object.fromEntries(names.map((name) => [name, remote])),
});
const ADDITION = { type: "documentAdditionOrUpdate", indexUid: "things" } as Registration;
const CREATION: Registration = { type: "indexCreation", indexUid: "things", primaryKey: null };
const WRITE: SharedWrite = { method: "POST", path: "/indexes/things/documents", body: null };
const OTHERS = { code: "invalid_network_remotes" };

/** The server `a`. */
function open() {
  const values = new Map<string, unknown>([
    ["network topology", networkOf(MEMBERS)],
    ["network spread", MEMBERS],
  ]);
  const registered: Registration[] = [];
  const spread: string[] = [];
  const state = { members: null as string[] | null, areMovesWaiting: false, onRegister: () => {} };
  const held = {
    get members() {
      return state.members;
    },
    areMovesWaiting: () => state.areMovesWaiting,
    has: () => false,
  };
  const instance = {
    value: (kind: string, key: string) =>
      key === "network" ? true : (values.get(`${kind} ${key}`) ?? undefined),
    put: async (kind: string, key: string, value: unknown) => void values.set(`${kind} ${key}`, value),
    held: () => held,
    hold: async () => {},
    draftPayload: () => new PayloadDraft(() => assert.fail("a small payload has no file")),
    allStats: () => ({ indexes: new Map([["things", null]]) }),
    task: () => ({ status: "enqueued" }),
    async register(registration: Registration) {
      if (registration.type === "networkTopologyChange") spread.push(registration.members.join());
      else registered.push(registration);
      state.onRegister();
      return { taskUid: registered.length };
    },
  };
  const services = { instance, outbox: null } as unknown as OperationServices;
  const sharing = (origin: Partial<WriteOrigin> | null) => {
    const from = { remoteName: "b", taskUid: 1, shard: { self: "a", members: MEMBERS }, ...origin };
    const writeOrigin = origin && encodeURIComponent(JSON.stringify(from));
    return sharingOf(services, { access: FULL_ACCESS, writeOrigin } as Requester);
  };
  const write = async (registration: Registration, origin: Partial<WriteOrigin> | null) => {
    await sharing(origin).register(registration, WRITE);
    const { sharers, isMove, shard } = registered.at(-1) as {
      sharers?: string[];
      isMove?: true;
      shard?: object;
    };
    return { sharers, isMove, shard };
  };
  return { services, values, state, registered, spread, sharing, write };
}

const among = (...members: string[]) => ({ shard: { self: "a", members } });

test("a write of a client knows the owners, and goes to those that leave, too", async () => {
  const { values, registered, write } = open();
  values.set("network givers", ["c"]);
  const owners = ["a", "b"];
  const shard = { self: "a", members: owners };
  deepEqual(await write(ADDITION, null), { sharers: owners, isMove: undefined, shard });
  const { outgoing } = registered[0];
  deepEqual([outgoing?.members, outgoing?.waiting], [owners, ["b", "c"]]);
  deepEqual(await write(CREATION, null), { sharers: owners, isMove: undefined, shard: undefined });
});

test("documents are spread anew when the network changes while a write is registered", async () => {
  const { values, state, spread, write } = open();
  state.onRegister = () => values.set("network topology", networkOf(["a", "b"]));
  await write(CREATION, null);
  deepEqual(spread, ["a,b"]);
});

test("a write is held here if it is where it comes from, and is not if it is not", async () => {
  const { write } = open();
  const sent = { writeId: "w", isPresent: true };
  deepEqual((await write(CREATION, { ...sent, isHeld: true })).sharers, MEMBERS);
  equal((await write(CREATION, { ...sent, isHeld: false })).sharers, undefined);
});

test("documents that move are marked, and none are held", async () => {
  const { write } = open();
  const { sharers, isMove } = await write(ADDITION, { isHeld: true });
  deepEqual([sharers, isMove], [undefined, true]);
});

test("other servers get an addition with the options that count there", async () => {
  const { services, registered } = open();
  const requester = { access: FULL_ACCESS, writeOrigin: null } as Requester;
  const options = { primaryKey: "a b", skipCreation: true, customMetadata: "m", csvDelimiter: ";" };
  const pieces = Readable.from([Buffer.from("a b;c\n1;2\n")]);
  await addDocuments(services, requester, "things", pieces, { ...options, format: "csv", method: "update" });
  const { method, path } = registered[0].outgoing!;
  const query = "primaryKey=a+b&skipCreation=true&customMetadata=m";
  deepEqual([method, path], ["PUT", `/indexes/things/documents?${query}`]);
});

test("a write by a sender that sees other members is refused, but not one from before a change", async () => {
  const { values, sharing, write } = open();
  const sent = { writeId: "w", ...among("a", "b") };
  throws(() => sharing({ ...sent, isPresent: true }), OTHERS);
  await write(CREATION, { ...sent, isPresent: false });
  await write(CREATION, { ...sent, isPresent: false, ...among("a", "d"), remoteName: "d" });
  throws(() => sharing({ ...sent, isPresent: true, ...among("a", "d"), remoteName: "d" }), OTHERS);
  throws(() => sharing({ ...sent, ...among("a", "d"), remoteName: "d" }), OTHERS, "of an older version");
  const late = sharing({ writeId: "w", isPresent: true });
  values.set("network topology", networkOf(["a", "b"]));
  await rejects(late.register(CREATION, WRITE), OTHERS, "the network has changed while the body came");
});

test("a member that leaves stays an owner if it writes as one", async () => {
  const { values, write } = open();
  values.set("network givers", ["b"]);
  await write(CREATION, { writeId: "w", isPresent: false });
  deepEqual(values.get("network givers"), ["b"]);
  const { sharers } = await write(CREATION, { writeId: "w", isPresent: true, isHeld: true });
  deepEqual(values.get("network givers"), []);
  deepEqual(sharers, MEMBERS);
});

test("what a sender with other members sends is spread anew, unless moves wait for it", async () => {
  const { state, spread, write } = open();
  const sent = { writeId: "w", isPresent: false, ...among("a", "b", "d") };
  state.members = MEMBERS;
  state.areMovesWaiting = true;
  await write(ADDITION, sent);
  deepEqual(spread, []);
  state.areMovesWaiting = false;
  await write(CREATION, sent);
  deepEqual(spread, [], "no documents");
  await write(ADDITION, sent);
  deepEqual(spread, ["a,b,c"]);
  state.members = null;
  state.areMovesWaiting = true;
  await write(ADDITION, sent);
  deepEqual(spread, ["a,b,c", "a,b,c"], "writes are not held");
});

test("what a server gives that has been taken out may belong elsewhere: it is spread anew", async () => {
  const { spread, write } = open();
  await write(ADDITION, { ...among("a", "c"), remoteName: "d" });
  deepEqual(spread, ["a,b,c"]);
  await write(ADDITION, { ...among("a", "c"), remoteName: "b" });
  deepEqual(spread, ["a,b,c"], "a member that leaves knows who keeps them");
});

test("a server that was taken out gives documents, and nothing else", async () => {
  const { values, sharing } = open();
  const move = sharing({ ...among("a", "c"), remoteName: "d" });
  await rejects(move.register(CREATION, WRITE), OTHERS);
  const late = sharing({});
  values.set("network topology", networkOf(["a", "b"]));
  await rejects(late.register(ADDITION, WRITE), OTHERS, "the network has changed while they came");
});
