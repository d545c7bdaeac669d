// A server that takes documents and has tasks, as far as the import command needs one: it keeps what it gets
// and fails on demand. Used by import.test.ts.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Receiver {
  url: string;
  /** Bodies that were acknowledged. */
  bodies: string[];
  /** Methods and paths of the acknowledged requests. */
  requests: string[];
  /** So many bodies are taken; from then on connections are cut. */
  bodiesMax: number;
  /** Answers to the next additions, instead of taking them; `drop` cuts the connection. */
  failures: ("drop" | { status: number; message: string })[];
  /** Tasks with these numbers fail. */
  failedTasks: Set<number>;
  authorization: (string | undefined)[];
  /** Tasks of which it was not told yet that they have ended, and the most there ever were. */
  unfinished: number;
  unfinishedMost: number;
  close(): Promise<void>;
}

const MOMENT = { enqueuedAt: "2024-01-31T08:00:00.123456Z" };

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies: [],
    requests: [],
    bodiesMax: Number.POSITIVE_INFINITY,
    failures: [],
    failedTasks: new Set(),
    authorization: [],
    unfinished: 0,
    unfinishedMost: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const reply = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body));
    if (request.url?.startsWith("/tasks?")) return void reply(200, { results: [], total: 0 });
    const task = /^\/tasks\/(\d+)$/.exec(request.url ?? "");
    if (task) {
      receiver.unfinished--;
      const hasFailed = receiver.failedTasks.has(Number(task[1]));
      const error = hasFailed ? { message: "no primary key was found" } : null;
      reply(200, { ...MOMENT, uid: Number(task[1]), status: hasFailed ? "failed" : "succeeded", error });
      return;
    }
    const failure = receiver.bodies.length >= receiver.bodiesMax ? "drop" : receiver.failures.shift();
    if (failure === "drop") {
      request.socket.destroy();
    } else if (failure) {
      reply(failure.status, { message: failure.message });
    } else {
      receiver.authorization.push(request.headers.authorization);
      receiver.requests.push(`${request.method} ${request.url}`);
      receiver.bodies.push(Buffer.concat(chunks).toString());
      receiver.unfinishedMost = Math.max(receiver.unfinishedMost, ++receiver.unfinished);
      reply(202, { ...MOMENT, taskUid: receiver.bodies.length - 1 });
    }
  }
}
