// What do filters, facets, sorts and formatting cost? Each line is one kind of request over HTTP, one at a
// time, next to the most it should take on a quiet machine.
//
//   npm run bench:facets -- [--sets debian,pypi,places]
import { type BenchDocument, datasetNames, loadDataset } from "./datasets.ts";
import { anew } from "./questions.ts";
import { benchOptions, printTable, quantile } from "./report.ts";
import { type BenchServer, startServer } from "./server.ts";

const WARM_UP_REQUESTS = 300;
const REQUESTS = 600;
const PLACES = 140_000;
const TURNS = 97;

interface Line {
  name: string;
  path: "search" | "facet-search";
  /** The body of each request. */
  body: (turn: number) => object;
  /** Target in milliseconds; null: none. */
  p50: number | null;
  p95: number | null;
}

const WORDS = ["library", "python module", "editor", "web server", "games"];
const BEGINNINGS = [
  "lib",
  "libc",
  "pyth",
  "perl",
  "x",
  "gtk",
  "qt",
  "kde",
  "libgl",
  "pythn",
  "debconf",
  "adduserr",
];
const programs = 'tags = "role::program" AND size > 100000';
const cropped = { attributesToCrop: ["description"], attributesToHighlight: ["description"] };

const lines: Record<string, Line[]> = {
  debian: [
    search("filter", 2, 4, () => ({ q: "", filter: programs })),
    search("filter and 3 facets", 2, 4, () => ({
      q: "",
      filter: programs,
      facets: ["section", "priority", "tags"],
    })),
    {
      ...search("facet search", null, 3, (turn) => ({
        facetName: "depends",
        facetQuery: of(BEGINNINGS, turn),
      })),
      path: "facet-search",
    },
    search("20 hits", null, null, (turn) => ({ q: of(WORDS, turn) })),
    search("20 hits, cropped and highlighted", null, null, (turn) => ({ q: of(WORDS, turn), ...cropped })),
  ],
  pypi: [search("facet with very many values", 6, null, () => ({ q: "", facets: ["released"] }))],
  places: [
    search("sort by distance", null, 5, (turn) => ({ q: "", sort: [`_geoPoint(${placeOf(turn)}):asc`] })),
    search("circle", null, null, (turn) => ({ q: "", filter: `_geoRadius(${placeOf(turn)}, 50000)` })),
    search("polygon over shapes", null, null, (turn) => ({
      q: "",
      filter: `_geoPolygon(${triangleAt(turn)})`,
    })),
  ],
};
const filterable: Record<string, string[]> = {
  debian: ["tags", "size", "section", "priority", "depends"],
  pypi: ["released"],
  places: ["_geo", "_geojson"],
};

const known = ["debian", "pypi"].filter((name) => datasetNames().includes(name));
const { sets } = benchOptions([...known, "places"], []);
for (const set of sets) {
  const server = await startServer();
  try {
    const settings = { filterableAttributes: filterable[set], sortableAttributes: ["_geo"] };
    await server.wait(await server.ask("PATCH", `/indexes/${set}/settings`, settings));
    const documents = set === "places" ? places() : loadDataset(set).documents;
    await server.addDocuments(set, documents);
    console.log(`${set}: ${documents.length} documents`);
    const rows: string[][] = [];
    for (const line of lines[set]) rows.push(await measure(server, set, line));
    printTable(["request", "p50", "aim", "p95", "aim"], rows);
  } finally {
    await server.stop();
  }
}

async function measure(server: BenchServer, index: string, line: Line): Promise<string[]> {
  const times: number[] = [];
  for (let turn = 0; turn < WARM_UP_REQUESTS + REQUESTS; turn++) {
    const bytes = Buffer.from(JSON.stringify(line.body(turn)));
    const start = performance.now();
    const read = await server.send("POST", `/indexes/${index}/${line.path}`, bytes, "application/json");
    const took = performance.now() - start;
    const answer = JSON.parse(read.toString());
    if (answer.code !== undefined) throw new Error(`${line.name}: ${answer.message}`);
    if (turn >= WARM_UP_REQUESTS) times.push(took);
  }
  const show = (ms: number | null) => (ms === null ? "" : `${ms.toFixed(2)} ms`);
  const [p50, p95] = [0.5, 0.95].map((part) => show(quantile(times, part)));
  return [line.name, p50, show(line.p50), p95, show(line.p95)];
}

function search(name: string, p50: number | null, p95: number | null, body: Line["body"]): Line {
  return { name, path: "search", body: (turn) => anew(body(turn)), p50, p95 };
}

/** As many points as there are cities of some size, each with a small square around it. */
function places(): BenchDocument[] {
  return Array.from({ length: PLACES }, (_, id) => {
    const lat = ((id * 7919) % 160_000) / 1000 - 80;
    const lng = ((id * 104_729) % 359_000) / 1000 - 179.5;
    const [west, south, east, north] = [lng - 0.01, lat - 0.01, lng + 0.01, lat + 0.01];
    const ring = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ];
    return { id, _geo: { lat, lng }, _geojson: { type: "Polygon", coordinates: [ring] } };
  });
}

function of(all: readonly string[], turn: number): string {
  return all[turn % all.length];
}

function placeOf(turn: number): string {
  return `${((turn * 7) % TURNS) - 48}, ${((turn * 29) % 300) - 150}`;
}

function triangleAt(turn: number): string {
  const [lat, lng] = placeOf(turn).split(", ").map(Number);
  return `[${lat}, ${lng}], [${lat + 2}, ${lng}], [${lat}, ${lng + 3}]`;
}
