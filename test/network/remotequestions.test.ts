// What other servers are asked, on behalf of whom, and for how long.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { test } from "node:test";
import { defaultSettings } from "../../src/engine/defaultsettings.ts";
import { listNetworkDocuments } from "../../src/operations/networkreads.ts";
import { searchFacet } from "../../src/operations/otherreads.ts";
import { FULL_ACCESS, type OperationServices, type Requester } from "../../src/operations/services.ts";
import type { OutboundRequest } from "../../src/outbound/client.ts";
import { documentsQueryOf } from "../../src/schemas/documents.ts";

const TIMEOUT_MS = 60_000;

/** A server with one other, both of which answer the same. `own`: what this one answers instead. */
function open(answer: string, own: () => Promise<Uint8Array> = async () => Buffer.from(answer)) {
  const requests: OutboundRequest[] = [];
  const remotes = { b: { url: "http://none", searchApiKey: null, writeApiKey: null } };
  const topology = { self: "a", sharding: true, remotes };
  const services = {
    instance: {
      value: (_: string, key: string) => (key === "network" ? true : topology),
      handle: () => ({}),
    },
    engine: { documents: own, facetSearch: own, settings: async () => defaultSettings() },
    outbound: {
      request: async (_: string, request: OutboundRequest) => {
        requests.push(request);
        return { status: 200, headers: {}, body: Buffer.from(answer) };
      },
    },
    remoteTimeoutMs: TIMEOUT_MS,
    inTurn: (search: () => unknown) => search(),
  };
  return { services: services as unknown as OperationServices, requests };
}

const list = (services: OperationServices) =>
  listNetworkDocuments(services, "things", documentsQueryOf({}, null));

test("a facet search asks other servers with the filter that the key demands", async () => {
  const { services, requests } = open('{"facetHits":[],"facetQuery":null}');
  const access = { ...FULL_ACCESS, searchFilter: () => ["tenant = 1", "b = 2"] };
  await searchFacet(services, { access } as unknown as Requester, "things", {
    facetName: "a",
    filter: "b = 2",
  });
  const bodies = requests.map(({ body }) => JSON.parse(String(body)));
  deepEqual(
    bodies.map(({ filter, useNetwork }) => [filter, useNetwork]),
    [[["tenant = 1", "b = 2"], false]],
  );
});

test("a listing asks twice, the second time for what is left of the time", async ({ mock }) => {
  let now = 0;
  mock.method(performance, "now", () => now);
  const { services, requests } = open('{"results":[{"id":1}],"total":1}', async () => {
    await null;
    now += 1000;
    return Buffer.from('{"results":[],"total":0}');
  });
  await list(services);
  deepEqual(
    requests.map(({ timeoutMs }) => timeoutMs),
    [TIMEOUT_MS, TIMEOUT_MS - 1000],
  );
});

test("a listing that fails here ends what was asked elsewhere", async () => {
  const { services, requests } = open("{}", () => Promise.reject(new Error("broken here")));
  await rejects(list(services), /broken here/);
  deepEqual(
    requests.map(({ signal }) => signal?.aborted),
    [true],
  );
  equal(requests.length, 1);
});
