// Opens the embedders of a thread. Called by pool.ts (for queries), writeroles.ts and writethread.ts (for
// documents).
import type { EmbedderProvider } from "../../embedders/embedder.ts";
import type { EmbedderSetup } from "../../embedders/embedderoptions.ts";
import { Embedders } from "../../embedders/embedders.ts";
import { OutboundClient } from "../../outbound/client.ts";

export function openEmbedders({ allowedNetworks, ...options }: EmbedderSetup = DEFAULTS): EmbedderProvider {
  const log = (line: string) => process.stderr.write(`${line}\n`);
  return new Embedders({ ...options, log, client: new OutboundClient(allowedNetworks) });
}

const DEFAULTS: EmbedderSetup = {
  allowedNetworks: [],
  cacheEntries: 0,
  requestTimeoutMs: 30_000,
  retryWaitMs: 60_000,
  failureModes: [],
  defaults: { openAiKey: null, ollamaUrl: null },
};
