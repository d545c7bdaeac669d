// Launch options of embedders, as plain data that travels to the threads that make Embedders of it.
import type { Options } from "../options.ts";
import type { EmbedderOptions } from "./embedder.ts";

export interface EmbedderSetup extends Omit<EmbedderOptions, "client" | "log"> {
  /** Private networks that embedders may call. */
  allowedNetworks: readonly string[];
}

/** `environment`: may hold the key that other tools for openAi use, too. */
export function embedderSetup(
  options: Options,
  environment: Readonly<Record<string, string | undefined>>,
): EmbedderSetup {
  return {
    allowedNetworks: options.experimentalAllowedIpNetworks,
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
