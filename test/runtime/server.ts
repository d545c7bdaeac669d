// Features of the server in the running runtime, over the bundle.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { get, type RequestOptions } from "node:https";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { certificates } from "../http/certificates.ts";
import { BUILD, freePort, Program, until, withFolder } from "./process.ts";

export const serverFeatures = {
  "server: documents, tasks, search": () =>
    withServer([], async (server) => {
      await server.add("animals", [
        { id: 1, name: "Red tarsier", legs: 4 },
        { id: 2, name: "Green parrot", legs: 2 },
      ]);
      const { hits } = await server.json("POST", "/indexes/animals/search", { q: "tasier" });
      deepEqual(
        hits.map(({ id }) => id),
        [1],
      );
      const query = { queries: [{ indexUid: "animals", q: "green" }], federation: {} };
      const merged = await server.json("POST", "/multi-search", query);
      equal(merged.hits[0]._federation.indexUid, "animals");
      const { status, body } = await server.send("GET", "/indexes/other");
      deepEqual([status, body.code], [404, "index_not_found"]);
    }),

  "server: compressed bodies and answers, CSV, NDJSON": () =>
    withServer([], async (server) => {
      const lines = Array.from({ length: 2000 }, (_, id) => JSON.stringify({ id, text: `line ${id}` }));
      const path = "/indexes/lines/documents";
      const zipped = gzipSync(lines.join("\n"));
      const ndjson = { "content-type": "application/x-ndjson", "content-encoding": "gzip" };
      await server.end(await server.raw("POST", path, zipped, ndjson));
      const csv = Buffer.from('id,text\n5000,"one, two"\n');
      await server.end(await server.raw("POST", path, csv, { "content-type": "text/csv" }));
      const { results, total } = await server.json("GET", `${path}?limit=2000`);
      deepEqual([total, results[1999].text], [2001, "line 1999"]);
      const found = await server.json("POST", "/indexes/lines/search", { q: "two" });
      equal(found.hits[0].id, "5000");
    }),

  "server: survives kill -9": () =>
    withFolder(async (folder) => {
      const first = await Server.start(folder);
      for (let id = 0; id < 10; id++)
        equal((await first.send("POST", "/indexes/numbers/documents", [{ id }])).status, 202);
      await first.program.kill();
      const second = await Server.start(folder);
      await until(async () => (await second.json("GET", "/tasks?statuses=enqueued,processing")).total === 0);
      equal((await second.json("GET", "/indexes/numbers/documents")).total, 10);
      await second.program.kill();
    }),

  "server: ends on SIGTERM": () =>
    withFolder(async (folder) => {
      const server = await Server.start(folder);
      await server.add("numbers", [{ id: 1 }]);
      equal(await server.program.kill("SIGTERM"), 0);
    }),

  "server: keys, metrics": () =>
    withServer(
      ["--master-key", "a-master-key-of-some-length", "--experimental-enable-metrics"],
      async (server) => {
        equal((await server.send("GET", "/indexes")).status, 401);
        server.authorization = "Bearer a-master-key-of-some-length";
        equal((await server.json("GET", "/keys")).results.length > 0, true);
        const { text } = await server.text("GET", "/metrics");
        match(text, /_http_requests_total/);
      },
    ),

  "server: dumps and snapshots": () =>
    withServer([], async (server, folder) => {
      await server.add("animals", [{ id: 1, name: "Red tarsier" }]);
      const dump = await server.end(await server.send("POST", "/dumps"));
      await server.end(await server.send("POST", "/snapshots"));
      const file = join(folder, "dumps", `${dump.details.dumpUid}.dump`);
      const { readFileSync } = await import("node:fs");
      equal(gunzipSync(readFileSync(file)).length > 0, true);
      await withFolder(async (other) => {
        const imported = await Server.start(other, ["--import-dump", file]);
        equal((await imported.json("GET", "/indexes/animals/documents")).total, 1);
        await imported.program.kill();
      });
    }),

  "server: edits by a function": () =>
    withServer([], async (server) => {
      await server.json("PATCH", "/experimental-features", { editDocumentsByFunction: true });
      await server.add("animals", [{ id: 1, name: "tarsier" }]);
      const edit = { function: "doc.name = doc.name.to_upper()" };
      await server.end(await server.send("POST", "/indexes/animals/documents/edit", edit));
      equal((await server.json("GET", "/indexes/animals/documents/1")).name, "TARSIER");
      const endless = await server.send("POST", "/indexes/animals/documents/edit", {
        function: "while (true) {}",
      });
      const { status, error } = await server.ended(endless);
      equal(status, "failed");
      match(error.message, /longer than 5000 ms/);
      // The writes behind it have their turn.
      await server.add("animals", [{ id: 2 }]);
    }),

  "server: HTTPS": () =>
    withFolder(async (folder) => {
      for (const [name, text] of Object.entries(certificates)) writeFileSync(join(folder, name), text);
      const options = ["--ssl-cert-path", join(folder, "server.pem"), "--ssl-key-path"];
      const clients = ["--ssl-auth-path", join(folder, "authority.pem"), "--ssl-require-auth"];
      const server = await Server.start(folder, [...options, join(folder, "server.key.pem"), ...clients]);
      const [, port] = /https:\/\/127\.0\.0\.1:(\d+)/.exec(server.program.output)!;
      const ca = certificates["authority.pem"];
      const client = { ca, cert: certificates["client.pem"], key: certificates["client.key.pem"] };
      equal(await statusOf(Number(port), client), 200);
      await rejects(statusOf(Number(port), { ca }));
      equal(await server.program.kill("SIGTERM"), 0);
    }),

  "server: webhooks": async () => {
    const received: string[] = [];
    const receiver = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece) => pieces.push(piece));
      request.on("end", () => {
        const body = Buffer.concat(pieces);
        received.push((request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString());
        response.end();
      });
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const url = `http://127.0.0.1:${(receiver.address() as { port: number }).port}/`;
    const options = ["--task-webhook-url", url, "--experimental-allowed-ip-networks", "any"];
    await withServer(options, async (server) => {
      await server.add("animals", [{ id: 1 }]);
      await until(() => received.length > 0);
    });
    receiver.closeAllConnections();
    receiver.close();
    equal(JSON.parse(received[0].trim().split("\n")[0]).status, "succeeded");
  },
};

/** Status of `GET /health` over HTTPS. */
function statusOf(port: number, options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const target = { host: "127.0.0.1", port, path: "/health", agent: false } as const;
    get({ ...target, ...options }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
}

/** What a request came to. */
interface Answer {
  status: number;
  body: Body;
}

/** The fields of all answers that are looked at. */
interface Body {
  code: string;
  details: { dumpUid: string };
  error: { message: string };
  finishedAt: string | null;
  hits: { id: number | string; _federation: { indexUid: string } }[];
  name: string;
  results: { text: string }[];
  status: string;
  taskUid: number;
  total: number;
}

class Server {
  readonly program: Program;
  readonly #url: string;
  authorization: string | null = null;

  static async start(folder: string, options: readonly string[] = []): Promise<Server> {
    const port = await freePort();
    const server = new Server(folder, port, options);
    await server.program.says("listens on");
    return server;
  }

  private constructor(folder: string, port: number, options: readonly string[]) {
    this.#url = `http://127.0.0.1:${port}`;
    const places = ["--db-path", join(folder, "db"), "--dump-dir", join(folder, "dumps")];
    const address = ["--http-addr", `127.0.0.1:${port}`, "--snapshot-dir", join(folder, "snapshots")];
    this.program = new Program(new URL("cli.js", BUILD), [...places, ...address, ...options]);
  }

  async raw(method: string, path: string, body: Buffer | undefined, headers: Record<string, string>) {
    const all = { ...headers, ...(this.authorization && { authorization: this.authorization }) };
    const response = await fetch(this.#url + path, { method, headers: all, body: body as never });
    return { status: response.status, body: await response.json() } as Answer;
  }

  async text(method: string, path: string): Promise<{ text: string }> {
    const headers: Record<string, string> = this.authorization ? { authorization: this.authorization } : {};
    return { text: await (await fetch(this.#url + path, { method, headers })).text() };
  }

  send(method: string, path: string, body?: unknown): Promise<Answer> {
    const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    return this.raw(method, path, bytes, type);
  }

  async json(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await this.send(method, path, body);
    equal(answer.status < 300, true, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** The task of a write once it succeeded. */
  async end(answer: Answer): Promise<Body> {
    const task = await this.ended(answer);
    equal(task.status, "succeeded", JSON.stringify(task));
    return task;
  }

  /** The same, however it ended. */
  async ended({ status, body }: Answer): Promise<Body> {
    equal(status, 202, JSON.stringify(body));
    let task = body;
    await until(async () => {
      task = await this.json("GET", `/tasks/${body.taskUid}`);
      return task.finishedAt !== null;
    });
    return task;
  }

  async add(index: string, documents: object[]): Promise<void> {
    await this.end(await this.send("POST", `/indexes/${index}/documents`, documents));
  }
}

async function withServer(
  options: readonly string[],
  use: (server: Server, folder: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const server = await Server.start(folder, options);
    try {
      await use(server, folder);
    } catch (error) {
      throw new Error(`${(error as Error).stack}\nThe server said:\n${server.program.output}`);
    } finally {
      await server.program.kill();
    }
  });
}
