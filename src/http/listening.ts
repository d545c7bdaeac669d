// Opens the application at its address. Called by node.ts.
//
// `localhost` often has two addresses. fastify would open a second server for the other one, which it does
// not show, so that the bounds of connections.ts and what tls.ts does would not hold there. On Node the other
// address therefore only hands its connections to the one server.
import { promises as dns } from "node:dns";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { IS_NODE } from "../runtime.ts";
import type { App } from "./app.ts";

/** Returns where it can be reached. Rejects with the error of the system when it cannot listen there. */
export async function listenAt(app: App, host: string, port: number): Promise<string> {
  if (host !== "localhost" || !IS_NODE) return app.listen({ host, port });
  const found = await dns.lookup(host, { all: true }).catch(() => []);
  const [first, ...others] = new Set(found.map(({ address }) => address));
  if (first === undefined) return app.listen({ host, port });
  const url = await app.listen({ host: first, port });
  const { port: bound } = app.server.address() as AddressInfo;
  for (const address of others) await handOver(app, address, bound);
  return `${new URL(url).protocol}//${host}:${bound}`;
}

/** An address that cannot be had, such as ::1 where there is no IPv6, is left out. */
async function handOver(app: App, host: string, port: number): Promise<void> {
  const entrance = createServer((socket) => app.server.emit("connection", socket));
  entrance.maxConnections = app.server.maxConnections;
  app.server.once("close", () => entrance.close());
  // Also later: a connection that the system has no file for is no reason to end.
  entrance.on("error", () => {});
  entrance.listen(port, host);
  await once(entrance, "listening").catch(() => {});
}
