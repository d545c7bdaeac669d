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

/** The options that the environment sets; names as existing installations have them. */
export function embeddingOptions(
  environment: Readonly<Record<string, string | undefined>>,
  { allowedNetworks, cacheEntries }: Pick<EmbeddingOptions, "allowedNetworks" | "cacheEntries">,
): EmbeddingOptions {
  const read = (name: string) => environment[`TARSIER_${name}`] ?? environment[`MEILI_${name}`] ?? null;
  const seconds = (name: string, otherwise: number) => {
    const value = Number(read(name));
    return value > 0 ? value * 1000 : otherwise;
  };
  const modes = (read("EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES") ?? "")
    .split(",")
    .map((mode) => mode.trim());
  return {
    ...{ allowedNetworks, cacheEntries },
    requestTimeoutMs: seconds("EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS", DEFAULTS.requestTimeoutMs),
    retryWaitMs: seconds("EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS", DEFAULTS.retryWaitMs),
    failureModes: FAILURE_MODES.filter((mode) => modes.includes(mode)),
    defaults: {
      openAiKey: read("OPENAI_API_KEY") ?? environment["OPENAI_API_KEY"] ?? null,
      ollamaUrl: read("OLLAMA_URL"),
    },
  };
}

const FAILURE_MODES = ["ignore_document_template_failures", "ignore_embedder_failures"] as const;
