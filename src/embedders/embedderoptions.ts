// The launch options that concern embedders, as embedders take them. Called by whoever makes Embedders.

import type { Options } from "../options.ts";
import type { OutboundClient } from "../outbound/client.ts";
import type { EmbedderOptions } from "./embedder.ts";

/** `environment` also holds the key that other tools for openAi read. */
export function embedderOptions(
  options: Options,
  client: Pick<OutboundClient, "request">,
  log: (line: string) => void,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): EmbedderOptions {
  return {
    client,
    log,
    cacheEntries: options.experimentalEmbeddingCacheEntries,
    requestTimeoutMs: options.experimentalRestEmbedderTimeoutSeconds * 1000,
    retryWaitMs: options.experimentalRestEmbedderMaxRetryDurationSeconds * 1000,
    failureModes: options.experimentalConfigEmbedderFailureModes,
    defaults: {
      openAiKey: options.openaiApiKey ?? environment.OPENAI_API_KEY ?? null,
      ollamaUrl: options.ollamaUrl,
    },
  };
}
