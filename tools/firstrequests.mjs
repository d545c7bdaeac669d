// The usual requests of clients to a server that has just started: the code for them goes into the code cache
// (codecache.mjs). Other code is compiled at the first request for it, while a client waits.

const POLL_MS = 20;
const WAIT_MS_MAX = 60_000;

const INDEX = "/indexes/animals";
const SETTINGS = {
  searchableAttributes: ["title", "text"],
  filterableAttributes: ["color", "size", "_geo"],
  sortableAttributes: ["size", "title", "_geo"],
  synonyms: { crimson: ["red"] },
};
const DOCUMENTS = Array.from({ length: 200 }, (_, id) => {
  const color = ["red", "green", "night"][id % 3];
  const text = `Some animals sleep by day and wake at night, number ${id} does not`;
  return {
    id,
    title: `The ${color} animal ${id}`,
    text,
    color,
    size: id % 50,
    _geo: { lat: id % 80, lng: id },
  };
});
const WORDS = [
  "",
  "a",
  "an",
  "animal",
  "anmal",
  "animls red",
  "red night",
  "the animals sleep by day",
  "somme animls sleap",
  "red -green",
  "redanimal",
  "crimson",
  "number 7",
  "wake at ni",
  '"by day" -red',
  '"the red animal" sleep',
];
const FILTERS = [
  "color = red",
  "size > 7",
  "size 3 TO 9 AND NOT color = red",
  "color IN [red, green] OR size = 3",
  "_geoRadius(40, 40, 3000000)",
];
const SORTS = ["size:asc", "title:desc", "_geoPoint(40, 40):asc"];
const QUERIES = [
  ...WORDS.map((q) => ({ q })),
  ...WORDS.map((q) => ({ q, attributesToRetrieve: ["id"], limit: 20, showRankingScore: true })),
  ...FILTERS.map((filter) => ({ filter })),
  ...FILTERS.map((filter) => ({ q: "animal", filter, showRankingScore: true })),
  ...SORTS.map((sort) => ({ sort: [sort] })),
  ...SORTS.map((sort) => ({ q: "animal", sort: [sort], showRankingScore: true })),
  { q: "animals sleep", matchingStrategy: "all" },
  { q: "some animals wake", matchingStrategy: "frequency" },
  { q: "animal", facets: ["*"] },
  { q: "animal", distinct: "color" },
  { q: "animal", page: 2, hitsPerPage: 10 },
  { q: "anmal night", attributesToHighlight: ["*"], attributesToCrop: ["text:5"], showMatchesPosition: true },
  { q: "animal", showRankingScoreDetails: true, attributesToSearchOn: ["title"], rankingScoreThreshold: 0.1 },
];

/** @throws Error when the server does not answer as expected */
export async function makeFirstRequests(url) {
  const send = async (method, path, body) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new Error(`The bundled server refuses ${method} ${path}: ${answer.message}`);
    return answer;
  };
  const finish = async ({ taskUid }) =>
    until(async () => {
      const { status, error } = await send("GET", `/tasks/${taskUid}`);
      if (status === "failed") throw new Error(`A task of the bundled server failed: ${error.message}`);
      return status === "succeeded";
    });
  await until(() => send("GET", "/health").catch(() => null));
  await finish(await send("PATCH", `${INDEX}/settings`, SETTINGS));
  await finish(await send("POST", `${INDEX}/documents`, DOCUMENTS));
  for (const query of QUERIES) {
    const { hits } = await send("POST", `${INDEX}/search`, query);
    if (hits.length === 0) throw new Error(`The bundled server finds nothing for ${JSON.stringify(query)}`);
  }
  const queries = ["red", "night"].map((q) => ({ indexUid: "animals", q }));
  await send("POST", "/multi-search", { queries });
  await send("POST", "/multi-search", { federation: {}, queries });
  await send("POST", `${INDEX}/facet-search`, { facetName: "color", facetQuery: "r" });
  for (const path of ["/search?q=red", "/documents?limit=3", "/documents/7", "/settings", "/stats"])
    await send("GET", INDEX + path);
  await finish(await send("DELETE", `${INDEX}/documents/7`));
}

/** A server that does not start must make the build fail, not hang. */
async function until(holds) {
  const end = performance.now() + WAIT_MS_MAX;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error("The bundled server does not answer as it should");
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}
