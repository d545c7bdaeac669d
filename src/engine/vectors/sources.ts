// The embedders of a thread. Opened by roles.ts (documents) and pool.ts (queries).
import type { EmbedderOptions, EmbedderProvider } from "../../embedders/embedder.ts";
import { Embedders } from "../../embedders/embedders.ts";
import { OutboundClient } from "../../outbound/client.ts";

/** What embedders need to know, as plain data: it travels to the threads. */
export interface EmbeddingOptions extends Omit<EmbedderOptions, "client" | "log"> {
  /** Private networks that may be called. */
  allowedNetworks: readonly string[];
}

export function openEmbedders({
  allowedNetworks,
  ...options
}: EmbeddingOptions = DEFAULTS): EmbedderProvider {
  const log = (line: string) => process.stderr.write(`${line}\n`);
  return new Embedders({ ...options, log, client: new OutboundClient(allowedNetworks) });
}

const DEFAULTS: EmbeddingOptions = {
  allowedNetworks: [],
  cacheEntries: 0,
  requestTimeoutMs: 30_000,
  retryWaitMs: 60_000,
  failureModes: [],
  defaults: { openAiKey: null, ollamaUrl: null },
};
