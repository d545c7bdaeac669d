// Embedders of every source, from documents and queries to vectors.
import { deepEqual, equal, notEqual, ok, rejects } from "node:assert/strict";
import { describe, test } from "node:test";
import { Embedders } from "../../src/embedders/embedders.ts";
import { TarsierError } from "../../src/errors.ts";
import {
  type Answer,
  embed,
  heldBack,
  type Received,
  several,
  single,
  startProvider,
  vectorOf,
} from "./server.ts";

const failed = (message: RegExp) => ({ code: "vector_embedding_error", message });
const vector = (text: string) => Float32Array.from(vectorOf(text));
const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `name ${index} ${"a".repeat(index % 7)}`);
const inputOf = ({ body }: Received) => (body as { input: string | string[] }).input;

describe("documents", () => {
  test("are sent as many in a call as the provider takes, equal texts once", async (t) => {
    const { url, options, received } = await startProvider(t);
    const embedder = await new Embedders(options).open("e", several(url));
    const texts = [...names(25), "name 3 aaa", "name 3 aaa"];
    const seen: number[] = [];
    const progress = (embedded: number, total: number) => void seen.push(embedded, total);
    deepEqual(await embedder.embedDocuments(texts, { progress }), texts.map(vector));
    deepEqual(received.map((one) => inputOf(one).length).sort(), [10, 10, 5]);
    deepEqual([seen.length, seen.at(-2), seen.at(-1)], [6, 27, 27]);
    deepEqual(await embedder.embedDocuments([]), []);
    equal(received.length, 3);
  });

  test("are sent in calls of one each otherwise, never more than forty at once", async (t) => {
    const slow: Answer = async (received, response, count) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return embed(received, response, count);
    };
    const provider = await startProvider(t, slow);
    const embedder = await new Embedders(provider.options).open("e", single(provider.url));
    deepEqual(await embedder.embedDocuments(names(100)), names(100).map(vector));
    equal(provider.received.length, 100);
    ok(provider.most > 1 && provider.most <= 40, `${provider.most}`);
  });

  test("that the provider refuses are found in their batch, and named", async (t) => {
    const picky: Answer = (received, response, count) => {
      const isBad = [inputOf(received)].flat().includes("name 7 ");
      if (!isBad) return embed(received, response, count);
      response.writeHead(422).end("bad text");
    };
    const { url, options } = await startProvider(t, picky);
    const embedder = await new Embedders(options).open("e", several(url));
    const describe = (position: number) => `document \`${position}\``;
    await rejects(embedder.embedDocuments(names(20), { describe }), failed(/bad text.*\(document `7`\)/));
    const modes = { failureModes: ["ignore_embedder_failures"] as const };
    const patient = await new Embedders({ ...options, ...modes }).open("e", several(url));
    deepEqual(await patient.embedDocuments(["name 7 ", "b"]), [null, vector("b")]);
    const vectors = await patient.embedDocuments(names(20));
    deepEqual(
      vectors,
      names(20).map((name, index) => (index === 7 ? null : vector(name))),
    );
  });

  test("fail with the first that fails, and the others are not sent any more", async (t) => {
    const { url, options, received } = await startProvider(
      t,
      (_, response) => void response.writeHead(403).end(),
    );
    const embedder = await new Embedders(options).open("e", { ...single(url), dimensions: 4 });
    await rejects(embedder.embedDocuments(names(1000)), failed(/status 403/));
    ok(received.length <= 80, `${received.length}`);
  });

  test("without what their template needs are refused, or have no prompt where that is wanted", async (t) => {
    const { url, options, lines } = await startProvider(t);
    const document = { id: "5", fields: { other: 1 }, isSearchable: () => true };
    const embedder = await new Embedders(options).open("e", single(url));
    await rejects(async () => embedder.promptsOf(document), { code: "invalid_document_fields" });
    const modes = { failureModes: ["ignore_document_template_failures"] as const };
    const patient = await new Embedders({ ...options, ...modes }).open("e", single(url));
    deepEqual(patient.promptsOf(document), []);
    equal(lines.length, 1);
  });

  test("without vectors of the user are excused, with a line, only where that is wanted", async (t) => {
    const { options, lines } = await startProvider(t);
    const failure = new TarsierError("vector_embedding_error", { embedder: "e", reason: "document 5" });
    const settings = { source: "userProvided", dimensions: 4 } as const;
    const strict = await new Embedders(options).open("e", settings);
    deepEqual([strict.excuses?.(failure), lines], [false, []]);
    const modes = { failureModes: ["ignore_embedder_failures"] as const };
    const patient = await new Embedders({ ...options, ...modes }).open("e", settings);
    deepEqual([patient.excuses?.(failure), lines], [true, [failure.message]]);
  });
});

describe("queries", () => {
  test("that are asked again while they are embedded are embedded once", async (t) => {
    const { late, release } = heldBack(embed);
    const { url, options, received } = await startProvider(t, late);
    const embedder = await new Embedders(options).open("e", { ...single(url), dimensions: 4 });
    const asked = ["abc", "abc", "other", "abc"].map((q) =>
      embedder.embedQuery({ q }, { timeoutMs: 20_000 }),
    );
    // One that has much more time than the first does not depend on it.
    asked.push(embedder.embedQuery({ q: "abc" }, { timeoutMs: 60_000 }));
    release();
    deepEqual(await Promise.all(asked), ["abc", "abc", "other", "abc", "abc"].map(vector));
    equal(received.length, 3);
    await embedder.embedQuery({ q: "abc" });
    equal(received.length, 4);
  });
});

describe("dimensions", () => {
  test("are found out by one word, once", async (t) => {
    const { url, options, received } = await startProvider(t);
    const embedder = await new Embedders(options).open("e", several(url));
    deepEqual(await Promise.all([embedder.dimensions(), embedder.dimensions()]), [4, 4]);
    equal(await embedder.dimensions(), 4);
    deepEqual(received.map(inputOf), [["test"]]);
  });

  test("are asked for again by each check, unless the settings tell them", async (t) => {
    let most = 4;
    const answer: Answer = () => ({ vectors: [{ v: new Array(most).fill(1) }] });
    const { url, options, received } = await startProvider(t, answer);
    const embedder = await new Embedders(options).open("e", several(url));
    await embedder.check();
    most = 8;
    await embedder.check();
    equal(await embedder.dimensions(), 8);
    equal(received.length, 2);
    const told = await new Embedders(options).open("e", { ...several(url), dimensions: 3 });
    await told.check();
    equal(received.length, 2);
  });

  test("that are known are not asked for", async (t) => {
    const { url, options, received } = await startProvider(t);
    const embedders = new Embedders(options);
    equal(await (await embedders.open("e", { ...single(url), dimensions: 7 })).dimensions(), 7);
    equal(await (await embedders.open("e", single(url), 9)).dimensions(), 9);
    equal(received.length, 0);
  });

  test("cannot be found out where the provider fails", async (t) => {
    const { url, options } = await startProvider(
      t,
      (_, response) => void response.writeHead(401).end("who?"),
    );
    const embedder = await new Embedders(options).open("e", single(url));
    await rejects(embedder.check(), failed(/401.*who\?/));
  });
});

describe("queries", () => {
  test("are remembered, as many as the option says, text by text", async (t) => {
    const { url, options, received } = await startProvider(t, embed, { cacheEntries: 2 });
    const embedder = await new Embedders(options).open("e", several(url));
    const ask = async (q: string) => deepEqual(await embedder.embedQuery({ q }), vector(q));
    for (const q of ["a", "b", "a", "c", "a", "b", "A"]) await ask(q);
    deepEqual(received.map(inputOf), [["a"], ["b"], ["c"], ["b"], ["A"]]);
    const long = "x".repeat(2001);
    await ask(long);
    await ask(long);
    equal(received.length, 7);
  });

  test("are not remembered by default", async (t) => {
    const { url, options, received } = await startProvider(t);
    const embedder = await new Embedders(options).open("e", single(url));
    await embedder.embedQuery({ q: "a" });
    await embedder.embedQuery({ q: "a" });
    equal(received.length, 2);
  });

  test("with media need fragments", async (t) => {
    const { url, options } = await startProvider(t);
    const embedder = await new Embedders(options).open("e", single(url));
    await rejects(embedder.embedQuery({ q: "a", media: { image: 1 } }), failed(/`media` needs/));
  });
});

test("fragments are sent as the JSON that they are", async (t) => {
  const { url, options, received } = await startProvider(t, () => ({ vector: [1, 2] }));
  const settings = {
    source: "rest" as const,
    url,
    dimensions: 2,
    request: { in: "{{fragment}}" },
    response: { vector: "{{embedding}}" },
    indexingFragments: {
      text: { value: { text: "{{ doc.name }}" } },
      image: { value: [{ url: "{{ doc.image }}" }] },
    },
    searchFragments: {
      words: { value: { text: "{{ q }}" } },
      image: { value: { data: "{{ media.data }}" } },
    },
  };
  const embedder = await new Embedders(options).open("e", settings);
  equal(embedder.inputs, "fragments");
  const document = { id: "1", fields: { name: "n", image: "i" }, isSearchable: () => true };
  const prompts = embedder.promptsOf(document);
  deepEqual(
    prompts.map(({ fragment }) => fragment),
    ["image", "text"],
  );
  const texts = prompts.map(({ text }) => text);
  deepEqual(await embedder.embedDocuments(texts), [Float32Array.of(1, 2), Float32Array.of(1, 2)]);
  await embedder.embedQuery({ media: { data: "AA" } });
  await embedder.embedQuery({ q: "words" });
  const bodies = received.map(({ body }) => JSON.stringify(body)).sort();
  deepEqual(bodies, [
    '{"in":[{"url":"i"}]}',
    '{"in":{"data":"AA"}}',
    '{"in":{"text":"n"}}',
    '{"in":{"text":"words"}}',
  ]);
  await rejects(embedder.embedQuery({ q: "w", media: { data: "AA" } }), failed(/exactly one/));
  const unknown = await new Embedders(options).open("e", { ...settings, dimensions: undefined });
  await rejects(unknown.check(), failed(/need `dimensions`/));
});

describe("openAi", () => {
  const answer: Answer = ({ body }) => {
    const { input } = body as { input: string[] };
    return { data: input.map((text) => ({ embedding: [...new Array(1535).fill(0), text.length] })) };
  };

  test("is asked in its own way, with the key of the settings or of the installation", async (t) => {
    const { url, options, received } = await startProvider(t, answer);
    const defaults = { openAiKey: "shared", ollamaUrl: null };
    const embedders = new Embedders({ ...options, defaults });
    const embedder = await embedders.open("e", { source: "openAi", url: `${url}/v1/embeddings` });
    equal(await embedder.dimensions(), 1536);
    deepEqual(embedder.distribution, { mean: 0.75, sigma: 0.1 });
    const [found] = await embedder.embedDocuments(["abc"]);
    equal(found?.[1535], 3);
    deepEqual(received[0].body, { model: "text-embedding-3-small", input: ["abc"] });
    deepEqual([received[0].path, received[0].headers.authorization], ["/v1/embeddings", "Bearer shared"]);
    const settings = { source: "openAi" as const, url, apiKey: "own", dimensions: 2 };
    const short = await embedders.open("e", settings);
    await rejects(short.embedDocuments(["abc"]), failed(/expected vectors of 2 dimensions/));
    deepEqual(received[1].body, { model: "text-embedding-3-small", input: ["abc"], dimensions: 2 });
    equal(received[1].headers.authorization, "Bearer own");
    // A model that gives vectors of one length only.
    const old = await embedders.open("e", { ...settings, model: "text-embedding-ada-002", dimensions: 1536 });
    await old.embedDocuments(["abc"]);
    deepEqual(received[2].body, { model: "text-embedding-ada-002", input: ["abc"] });
  });

  test("gets texts that are too long shorter, until it takes them", async (t) => {
    const strict: Answer = (received, response, count) => {
      const [text] = inputOf(received) as string[];
      if (text.length <= 16_382) return answer(received, response, count);
      response.writeHead(400).end("too long");
    };
    const { url, options, received } = await startProvider(t, strict);
    const embedder = await new Embedders(options).open("e", { source: "openAi", url });
    const [found] = await embedder.embedDocuments(["x".repeat(100_000)]);
    equal(found?.[1535], 16_382);
    equal(received.length, 3);
  });
});

describe("ollama", () => {
  const answer: Answer = ({ path, body }) => {
    const { prompt, input } = body as { prompt: string; input: string[] };
    return path === "/api/embed" ? { embeddings: input.map(vectorOf) } : { embedding: vectorOf(prompt) };
  };

  for (const path of ["/api/embed", "/api/embeddings"]) {
    test(`is asked at ${path} as it wants to be`, async (t) => {
      const { url, options, received } = await startProvider(t, answer);
      const defaults = { openAiKey: null, ollamaUrl: url + path };
      const embedder = await new Embedders({ ...options, defaults }).open("e", {
        source: "ollama",
        model: "m",
      });
      deepEqual(await embedder.embedDocuments(["ab", "c"]), [vector("ab"), vector("c")]);
      equal((received[0].body as { model: string }).model, "m");
      equal(received.length, path === "/api/embed" ? 1 : 2);
    });
  }

  test("has no other places", async (t) => {
    const { url, options } = await startProvider(t);
    const opened = new Embedders(options).open("e", { source: "ollama", model: "m", url });
    await rejects(opened, failed(/\/api\/embed/));
  });
});

test("userProvided has no vectors of its own", async (t) => {
  const { options } = await startProvider(t);
  const embedder = await new Embedders(options).open("e", { source: "userProvided", dimensions: 3 });
  equal(await embedder.dimensions(), 3);
  const fields = { id: 1, t: "x".repeat(500), n: null, _vectors: {} };
  const prompts = embedder.promptsOf({ id: "1", fields, isSearchable: (name) => name !== "id" });
  deepEqual([embedder.inputs, prompts], ["none", [{ fragment: null, text: `t: ${fields.t}\n` }]]);
  await rejects(embedder.embedQuery({ q: "q".repeat(300) }), failed(/`q{149}\.\.\.q{49}`/));
  await rejects(embedder.embedDocuments(["a"]), failed(/_vectors/));
});

describe("composite", () => {
  const composite = (search: object, indexing: object) => ({
    source: "composite" as const,
    searchEmbedder: { ...search, documentTemplate: undefined },
    indexingEmbedder: indexing,
  });

  test("embeds documents with one half and queries with the other", async (t) => {
    const [one, other] = [await startProvider(t), await startProvider(t)];
    const settings = composite(single(one.url), several(other.url));
    const embedder = await new Embedders(one.options).open("e", settings);
    await embedder.check();
    const [before, beforeOther] = [one.received.length, other.received.length];
    deepEqual(await embedder.embedDocuments(["a"]), [vector("a")]);
    deepEqual(await embedder.embedQuery({ q: "b" }), vector("b"));
    deepEqual([one.received.length - before, other.received.length - beforeOther], [1, 1]);
    const document = { id: "1", fields: { name: "n" }, isSearchable: () => true };
    deepEqual(embedder.promptsOf(document), [{ fragment: null, text: "n" }]);
    await rejects(embedder.embedQuery({ media: {} }), failed(/`composite`/));
  });

  const unlike: [name: string, answer: Answer, message: RegExp][] = [
    ["other dimensions", () => ({ vector: [1, 2] }), /4 dimensions.*2/],
    [
      "another meaning",
      ({ body }) => ({ vector: vectorOf((body as { input: string }).input).reverse() }),
      /disagree/,
    ],
  ];
  for (const [name, answer, message] of unlike) {
    test(`is refused when its halves have ${name}`, async (t) => {
      const [one, other] = [await startProvider(t, answer), await startProvider(t)];
      const embedder = await new Embedders(one.options).open(
        "e",
        composite(single(one.url), single(other.url)),
      );
      await rejects(embedder.check(), failed(message));
    });
  }
});

describe("halves of a composite embedder", () => {
  const turnedBy =
    (angle: number): Answer =>
    () => ({ vector: [Math.cos(angle), Math.sin(angle)] });
  const settings = (search: object, indexing: object) => ({
    source: "composite" as const,
    searchEmbedder: { ...search, source: "rest" as const },
    indexingEmbedder: { ...indexing, source: "rest" as const },
  });

  test("may differ by a hundredth of what opposite vectors do", async (t) => {
    const straight = await startProvider(t, turnedBy(0));
    for (const [angle, isNear] of [
      [0.19, true],
      [0.21, false],
    ] as const) {
      const turned = await startProvider(t, turnedBy(angle));
      const opened = new Embedders(straight.options).open(
        "e",
        settings(single(straight.url), single(turned.url)),
      );
      const checked = (await opened).check();
      if (isNear) await checked;
      else await rejects(checked, failed(/cosine distance above 0\.01/));
    }
  });

  test("tell how similarities are distributed, if the whole does not", async (t) => {
    const { url, options } = await startProvider(t);
    const distribution = { mean: 0.5, sigma: 0.1 };
    const whole = settings(single(url), { ...single(url), distribution });
    deepEqual((await new Embedders(options).open("e", whole)).distribution, distribution);
  });
});

test("embedders of long settings make room for each other", async (t) => {
  const { url, options } = await startProvider(t);
  const embedders = new Embedders(options);
  const first = await embedders.open("e", several(url));
  const long = (n: number) => ({ ...several(url), documentTemplate: `${n}${" ".repeat(100_000)}` });
  for (let n = 0; n < 20; n++) await embedders.open("e", long(n));
  equal(await embedders.open("e", several(url)), first);
  for (let n = 0; n < 60; n++) await embedders.open("e", long(n));
  notEqual(await embedders.open("e", several(url)), first);
});

test("the same settings give the same embedder, until they cannot be opened", async (t) => {
  const { url, options } = await startProvider(t);
  const embedders = new Embedders(options);
  equal(await embedders.open("e", single(url)), await embedders.open("e", single(url)));
  ok((await embedders.open("e", single(url))) !== (await embedders.open("f", single(url))));
  const bad = { ...single(url), request: {} };
  await rejects(embedders.open("e", bad), failed(/`request`/));
  await rejects(embedders.open("e", { ...single(url), documentTemplate: "{{" }), {
    code: "invalid_settings_embedders",
  });
});
