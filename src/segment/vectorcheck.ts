// Checks that the vectors of a segment fit together: stores fill their section, documents exist and ascend,
// each has its vectors, components are numbers. Called by segmentcheck.ts when all chunks are sound.
import type { Core } from "../core/core.ts";
import { damagedFile } from "../storage/failure.ts";
import type { Segment } from "./segment.ts";
import { FLAG_REGENERATE, FLAG_USER_PROVIDED, vectorLayout } from "./vectorformat.ts";
import type { VectorStore } from "./vectorstore.ts";

/** Number of rows that are looked at in one turn of the cache. */
const ROWS_MAX = 64;

/**
 * `held`: the docids of the segment.
 * @throws DamageError for the first store that does not fit
 */
export function checkVectors(core: Core, segment: Segment, held: ReadonlySet<number>): void {
  const { file, meta, cache } = segment;
  const section = file.section("vectors");
  const damage = (offset: number, expected: string, found: string) =>
    damagedFile({ file: file.path, offset, section: "vectors", expected, found });
  let end = 0;
  for (const store of meta.vectors) {
    const place = section.offset + store.at;
    if (store.at !== end) throw damage(place, `a store at ${end}`, `one at ${store.at}`);
    end += vectorLayout(store).end;
    if (end > section.length) throw damage(place, `at most ${section.length} bytes`, `${end} bytes`);
  }
  if (end !== section.length) throw damage(section.offset, `${end} bytes`, `${section.length} bytes`);
  for (const store of segment.vectors()) {
    cache.beginTurn();
    const fault =
      faultOfDocuments(core, store, held) ??
      faultOfRows(core, segment, store) ??
      faultOfGraph(core, segment, store);
    const place = section.offset + store.meta.at;
    if (fault) throw damage(place, `a sound store of embedder ${store.meta.embedder}`, fault);
  }
}

function faultOfDocuments(core: Core, store: VectorStore, held: ReadonlySet<number>): string | null {
  const { documents, vectors } = store.meta;
  const docids = core.u32.slice(store.docids >>> 2, (store.docids >>> 2) + documents);
  const firsts = core.u32.slice(store.firsts >>> 2, (store.firsts >>> 2) + documents + 1);
  const owners = core.u32.slice(store.owners >>> 2, (store.owners >>> 2) + vectors);
  const slots = core.u8.slice(store.slots, store.slots + vectors);
  const flags = core.u8.slice(store.flags, store.flags + documents);
  if (firsts[0] !== 0 || firsts[documents] !== vectors) return "vectors that belong to no document";
  for (let i = 0; i < documents; i++) {
    const docid = docids[i];
    if (!held.has(docid) || (i > 0 && docid <= docids[i - 1])) return `document ${docid}`;
    if (firsts[i + 1] < firsts[i]) return `document ${docid} with less than no vectors`;
    if (flags[i] & ~(FLAG_USER_PROVIDED | FLAG_REGENERATE)) return `flags ${flags[i]}`;
    for (let vector = firsts[i]; vector < firsts[i + 1]; vector++) {
      if (owners[vector] !== docid) return `a vector of document ${docid} that names another`;
      if (vector > firsts[i] && slots[vector] <= slots[vector - 1]) return `slots of document ${docid}`;
    }
  }
  return null;
}

function faultOfGraph(core: Core, segment: Segment, store: VectorStore): string | null {
  const { graphBytes, vectors } = store.meta;
  if (graphBytes === 0) return null;
  segment.cache.beginTurn();
  return core.exports.graphCheck(store.graph().graph, graphBytes, vectors) ? null : "no whole graph";
}

/** Components must be finite; bits after the last dimension must be 0. */
function faultOfRows(core: Core, segment: Segment, store: VectorStore): string | null {
  const { vectors, dimensions, isBinary } = store.meta;
  for (let first = 0; first < vectors; first += ROWS_MAX) {
    segment.cache.beginTurn();
    const count = Math.min(ROWS_MAX, vectors - first);
    const bytes = core.read(store.rows(first, count), count * store.rowBytes);
    if (isBinary) {
      for (let row = 0; row < count; row++) {
        const bits = bytes.subarray(row * store.rowBytes, (row + 1) * store.rowBytes);
        for (let bit = dimensions; bit < bits.length * 8; bit++)
          if ((bits[bit >>> 3] >> (bit & 7)) & 1) return `bit ${bit} in vector ${first + row}`;
      }
      continue;
    }
    const values = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    const fault = values.findIndex((value) => !Number.isFinite(value));
    if (fault >= 0) return `${values[fault]} in vector ${first + Math.floor(fault / dimensions)}`;
  }
  return null;
}
