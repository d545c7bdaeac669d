// Stands for the embedding services that pages call, which no test can reach. Used by pagerun.ts.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** Answers what Ollama is asked at /api/embed, and what asks for a plain list of vectors. */
export async function openEmbedder(): Promise<{ server: Server; port: number }> {
  const server = createServer(async (request, response) => {
    const { input, inputs } = (await json(request)) as Record<string, string[] | undefined>;
    const vectors = (input ?? inputs ?? []).map(vectorOf);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(input ? { embeddings: vectors } : vectors));
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

/** How often a text has each letter. */
function vectorOf(text: string): number[] {
  return [..."abcdefghijklmnopqrstuvwxyz"].map((letter) => text.toLowerCase().split(letter).length - 1);
}
