// Servers at `localhost`, which often has two addresses.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, test } from "node:test";
import { Place } from "../tasks/copyfixture.ts";
import { LOCAL_ADDRESSES, mockAddresses } from "./localaddresses.ts";
import { openAt } from "./served.ts";

/** What a server fails to do shows in that nothing comes. */
const SOON = { timeout: 20_000 };

const place = new Place();
after(() => place.remove());

test("the server answers at both addresses under one name, and both end with it", SOON, async (context) => {
  mockAddresses(context);
  const { url, close } = await openAt(place, "db", { httpAddr: "localhost:0" });
  const { hostname, port } = new URL(url);
  equal(hostname, "localhost");
  const healthAt = async (address: string) => (await fetch(`http://${address}:${port}/health`)).status;
  deepEqual(await Promise.all(LOCAL_ADDRESSES.map(healthAt)), [200, 200]);
  const silent = connect(Number(port), LOCAL_ADDRESSES[1]);
  await once(silent, "connect");
  await close();
  for (const address of LOCAL_ADDRESSES) await rejects(healthAt(address));
  silent.destroy();
});

test("what bounds and answers a connection holds at the second address, too", SOON, async (context) => {
  mockAddresses(context);
  const { url, close } = await openAt(place, "db", { httpAddr: "localhost:0" });
  const answered = async (request: string) => {
    const socket = connect(Number(new URL(url).port), LOCAL_ADDRESSES[1]);
    socket.write(request);
    const [bytes] = await once(socket, "data");
    socket.destroy();
    return String(bytes);
  };
  const garbage = await answered("what is this\r\n\r\n");
  match(garbage, /^HTTP\/1\.1 400 [\s\S]*"code":"bad_request"/);
  const expecting = await answered("GET /health HTTP/1.1\r\nhost: x\r\nexpect: much\r\n\r\n");
  match(expecting, /^HTTP\/1\.1 417 [\s\S]*"code":"bad_request"/);
  await close();
});
