// What the command line and the environment tell embedders.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { readEnvironment } from "../../src/cli/environment.ts";
import { embedderSetup } from "../../src/embedders/embedderoptions.ts";
import { defaultOptions, optionTable } from "../../src/options.ts";

test("embedders wait half a minute for an answer, remember nothing and ignore nothing by default", () => {
  deepEqual(embedderSetup(defaultOptions(), {}), {
    allowedNetworks: [],
    cacheEntries: 0,
    requestTimeoutMs: 30_000,
    retryWaitMs: 60_000,
    failureModes: [],
    defaults: { openAiKey: null, ollamaUrl: null },
  });
});

test("the variables that existing installations set are read", () => {
  const environment = {
    MEILI_OPENAI_API_KEY: "key",
    MEILI_OLLAMA_URL: "http://a/api/embed",
    MEILI_EXPERIMENTAL_EMBEDDING_CACHE_ENTRIES: "9",
    MEILI_EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS: "1",
    MEILI_EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS: "2",
    MEILI_EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES:
      "ignore_embedder_failures, ignore_document_template_failures",
    MEILI_EXPERIMENTAL_ALLOWED_IP_NETWORKS: "10.0.0.0/8",
  };
  const options = { ...defaultOptions() } as Record<string, unknown>;
  for (const [name, { text }] of readEnvironment(environment, optionTable)) {
    options[name] = optionTable[name as keyof typeof optionTable].parse(text);
  }
  deepEqual(embedderSetup(options as ReturnType<typeof defaultOptions>, {}), {
    allowedNetworks: ["10.0.0.0/8"],
    cacheEntries: 9,
    requestTimeoutMs: 1000,
    retryWaitMs: 2000,
    failureModes: ["ignore_embedder_failures", "ignore_document_template_failures"],
    defaults: { openAiKey: "key", ollamaUrl: "http://a/api/embed" },
  });
});

test("the key that other tools read serves where there is no other", () => {
  const environment = { OPENAI_API_KEY: "common" };
  equal(embedderSetup(defaultOptions(), environment).defaults.openAiKey, "common");
  const options = { ...defaultOptions(), openaiApiKey: "own" };
  equal(embedderSetup(options, environment).defaults.openAiKey, "own");
});

test("other failure modes are refused", () => {
  equal(optionTable.experimentalConfigEmbedderFailureModes.parse("ignore_all"), undefined);
});
