// A small provider of embeddings on this machine: vectors are counts of letters, so that equal texts have
// equal vectors. Tests say how it answers, and look at what it was asked.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { EmbedderOptions } from "../../src/embedders/embedder.ts";
import type { EmbedderSetup } from "../../src/embedders/embedderoptions.ts";
import { OutboundClient } from "../../src/outbound/client.ts";

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

export interface Provider {
  url: string;
  received: Received[];
  /** Calls that are being answered, and the most there ever were at once. */
  now: number;
  most: number;
  options: EmbedderOptions;
  /** Lines that were logged. */
  lines: string[];
}

/** Gives the JSON of an answer, or answers by itself and gives undefined. */
export type Answer = (received: Received, response: ServerResponse, count: number) => unknown;

/** How often a, b, c and any letter occur. */
export function vectorOf(text: string): number[] {
  const count = (letter: string) => text.split(letter).length - 1;
  return [count("a"), count("b"), count("c"), text.length];
}

/** `{"input": "text"}` -> `{"vector": [...]}`; `{"input": ["text"]}` -> `{"vectors": [{"v": [...]}]}`. */
export const embed: Answer = ({ body }) => {
  const { input } = body as { input: string | string[] };
  if (typeof input === "string") return { vector: vectorOf(input) };
  return { vectors: input.map((text) => ({ v: vectorOf(text) })) };
};

/** An answer that waits until it is released. */
export function heldBack(answer: Answer): { late: Answer; release: () => void } {
  let release = () => {};
  const door = new Promise<void>((open) => {
    release = open;
  });
  const late: Answer = async (received, response, count) => {
    await door;
    return answer(received, response, count);
  };
  return { late, release };
}

/** The same for an engine, which makes its own client. */
export function setupOf(options: EmbedderOptions): EmbedderSetup {
  const { cacheEntries, requestTimeoutMs, retryWaitMs, failureModes, defaults } = options;
  const allowedNetworks = ["127.0.0.0/8"];
  return { cacheEntries, requestTimeoutMs, retryWaitMs, failureModes, defaults, allowedNetworks };
}

export async function startProvider(
  t: TestContext,
  answer: Answer = embed,
  changes: Partial<EmbedderOptions> = {},
): Promise<Provider> {
  const client = new OutboundClient(["127.0.0.0/8"]);
  const lines: string[] = [];
  const options: EmbedderOptions = {
    client,
    cacheEntries: 0,
    requestTimeoutMs: 20_000,
    retryWaitMs: 2,
    failureModes: [],
    log: (line: string) => void lines.push(line),
    defaults: { openAiKey: null, ollamaUrl: null },
    ...changes,
  };
  const provider: Provider = { url: "", received: [], now: 0, most: 0, options, lines };
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const { url = "", headers } = request;
    const received = { path: url, headers, body: JSON.parse(Buffer.concat(pieces).toString()) };
    provider.received.push(received);
    provider.most = Math.max(provider.most, ++provider.now);
    response.once("close", () => provider.now--);
    const json = await answer(received, response, provider.received.length);
    if (json !== undefined) response.end(JSON.stringify(json));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return provider;
}

/** Settings of a REST embedder for one text, or for several, in a call. */
export function single(url: string) {
  const [request, response] = [{ input: "{{text}}" }, { vector: "{{embedding}}" }];
  return { source: "rest" as const, url, request, response, documentTemplate: "{{ doc.name }}" };
}

export function several(url: string) {
  const request = { input: ["{{text}}", "{{..}}"] };
  const response = { vectors: [{ v: "{{embedding}}" }, "{{..}}"] };
  return { ...single(url), request, response };
}
