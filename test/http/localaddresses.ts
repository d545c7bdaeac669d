// A machine on which `localhost` has two addresses. Used by the tests of servers that listen there.
import { promises as dns } from "node:dns";
import type { TestContext } from "node:test";

/** In place of ::1, which not every machine has, one that Linux answers for by itself. */
export const LOCAL_ADDRESSES = ["127.0.0.1", "127.0.0.2"];

export function mockAddresses(context: TestContext): void {
  const found = LOCAL_ADDRESSES.map((address) => ({ address, family: 4 }));
  context.mock.method(dns, "lookup", (async () => found) as unknown as typeof dns.lookup);
}
