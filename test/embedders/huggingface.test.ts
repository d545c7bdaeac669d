// Models in this process: the package is not installed here, so a small model stands for it.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { HuggingFaceSource } from "../../src/embedders/huggingface.ts";
import type { Transformers } from "../../src/embedders/transformers.ts";
import { OutboundFailure } from "../../src/outbound/failure.ts";
import type { EmbedderSettings } from "../../src/schemas/embedders.ts";

/** A model whose tokens are the words of a text, each with the vector [length, position]. */
function smallModel(opened: unknown[] = []): () => Promise<Transformers> {
  return async () => ({
    pipeline: async (...parameters) => {
      opened.push(parameters);
      return async ([text]) => {
        const words = text.split(" ");
        const data = Float32Array.from(words.flatMap((word, position) => [word.length, position]));
        return { dims: [1, words.length, 2], data };
      };
    },
  });
}

const nowhere = { request: () => Promise.reject(new OutboundFailure("connection", "no network")) };

function answering(status: number, text = "") {
  const urls: string[] = [];
  const request = async (url: string | URL) => {
    urls.push(String(url));
    return { status, headers: {}, body: new TextEncoder().encode(text) };
  };
  return { urls, request };
}

async function vectorsOf(
  settings: Partial<EmbedderSettings>,
  client: ConstructorParameters<typeof HuggingFaceSource>[2],
) {
  const source = new HuggingFaceSource("e", { source: "huggingFace", ...settings }, client, smallModel());
  const [vector] = await source.embed(["aaa b cc"], { deadline: null });
  return [...vector];
}

describe("pooling", () => {
  const modes: [mode: string, vector: number[]][] = [
    ["pooling_mode_cls_token", [3, 0]],
    ["pooling_mode_mean_tokens", [2, 1]],
    ["pooling_mode_lasttoken", [2, 2]],
    ["pooling_mode_max_tokens", [3, 2]],
    ["pooling_mode_mean_sqrt_len_tokens", [Math.fround(6 / Math.sqrt(3)), Math.fround(3 / Math.sqrt(3))]],
  ];
  for (const [mode, vector] of modes) {
    test(`is what the model says: ${mode}`, async () => {
      const client = answering(200, JSON.stringify({ [mode]: true, word_embedding_dimension: 2 }));
      deepEqual(await vectorsOf({ model: "a/b", revision: "r" }, client), vector);
      deepEqual(client.urls, ["https://huggingface.co/a/b/raw/r/1_Pooling/config.json"]);
    });
  }

  test("is what the settings force, without a question", async () => {
    deepEqual(await vectorsOf({ pooling: "forceCls" }, nowhere), [3, 0]);
    deepEqual(await vectorsOf({ pooling: "forceMean" }, nowhere), [2, 1]);
  });

  test("is the mean where the model says nothing", async () => {
    deepEqual(await vectorsOf({}, answering(404)), [2, 1]);
  });

  test("is read from a folder that is the model", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "model-"));
    t.after(() => rm(folder, { recursive: true }));
    deepEqual(await vectorsOf({ model: folder }, nowhere), [2, 1]);
    await mkdir(join(folder, "1_Pooling"));
    await writeFile(join(folder, "1_Pooling/config.json"), '{"pooling_mode_cls_token":true}');
    deepEqual(await vectorsOf({ model: folder }, nowhere), [3, 0]);
  });

  test("that cannot be found out fails the embedder", async () => {
    const failure = { code: "vector_embedding_error", message: /cannot be loaded.*no network/ };
    await rejects(vectorsOf({}, nowhere), failure);
    await rejects(vectorsOf({}, answering(500)), { code: "vector_embedding_error", message: /status 500/ });
  });
});

test("the default model is pinned, a model of the settings is not, and either is loaded once", async () => {
  const opened: unknown[] = [];
  const client = answering(404);
  const open = (settings: object) =>
    new HuggingFaceSource("e", { source: "huggingFace", ...settings }, client, smallModel(opened));
  const source = open({});
  await source.embed(["a"], { deadline: null });
  await source.embed(["b"], { deadline: null });
  await open({ model: "BAAI/bge-base-en-v1.5" }).embed(["a"], { deadline: null });
  const revision = "617ca489d9e86b49b8167676d8220688b99db36e";
  deepEqual(opened, [
    ["feature-extraction", "BAAI/bge-base-en-v1.5", { revision, dtype: "fp32" }],
    ["feature-extraction", "BAAI/bge-base-en-v1.5", { revision: undefined, dtype: "fp32" }],
  ]);
});

test("without the package the message says what to install", async () => {
  const source = new HuggingFaceSource("e", { source: "huggingFace" }, nowhere);
  equal(source.batchLength, 1);
  await rejects(source.embed(["a"], { deadline: null }), {
    code: "vector_embedding_error",
    message: /npm install @huggingface\/transformers/,
  });
});

test("a package that could not be loaded is tried again with the next text", async () => {
  let tries = 0;
  const load = () => (++tries === 1 ? Promise.reject(new Error("no such file")) : smallModel()());
  const source = new HuggingFaceSource("e", { source: "huggingFace", pooling: "forceCls" }, nowhere, load);
  await rejects(source.embed(["a"], { deadline: null }), /npm install/);
  deepEqual(await source.embed(["abc"], { deadline: null }), [Float32Array.of(3, 0)]);
  const signal = AbortSignal.abort(new Error("enough"));
  await rejects(source.embed(["abc"], { deadline: null, signal }), /enough/);
});
