// Section `geometries` of an open segment (geometryformat.ts), read through its cache. Used by geographic
// filters (engine/filter/shapes.ts) and by geometrycheck.ts.
import { damagedFile } from "../storage/failure.ts";
import type { ExtentCache } from "./cache.ts";
import type { SegmentFile } from "./file.ts";
import type { SegmentMeta } from "./format.ts";
import { decodeGeometry, type Geometry, GeometryHeads, headBytes } from "./geometryformat.ts";

/** A section that takes at most this part of the cache is loaded as a whole. */
const CACHE_PART_MAX = 0.25;

/** What is needed of an open segment (segment.ts). */
interface SegmentParts {
  cache: ExtentCache;
  file: SegmentFile;
  meta: SegmentMeta;
}

export class Geometries {
  /** Valid during the turn of the cache. */
  readonly heads: GeometryHeads;
  readonly #segment: SegmentParts;
  readonly #loadsAll: boolean;

  constructor(segment: SegmentParts) {
    const { cache, file, meta } = segment;
    const { length } = file.section("geometries");
    this.#segment = segment;
    this.#loadsAll = length <= cache.bytes * CACHE_PART_MAX;
    const address = this.#load(0, headBytes(meta.geometries), true);
    this.heads = new GeometryHeads(cache.core.memory.buffer, address, meta.geometries);
  }

  /**
   * The geometry at a place of the heads, valid until the next load.
   * @throws DamageError when there is none
   */
  read(at: number): Geometry {
    const { cache, file } = this.#segment;
    const { offset, length } = this.heads.place(at);
    const address = this.#load(offset, length, false);
    const geometry = decodeGeometry(cache.core.memory.buffer, address, length);
    if (geometry) return geometry;
    const place = file.section("geometries").offset + offset;
    const expected = `a geometry of ${length} bytes`;
    throw damagedFile({ file: file.path, offset: place, section: "geometries", expected, found: "another" });
  }

  #load(offset: number, length: number, holds: boolean): number {
    const { cache, file } = this.#segment;
    const section = file.section("geometries");
    if (this.#loadsAll) return cache.load(file, section.offset, section.length) + offset;
    return cache.load(file, section.offset + offset, length, holds);
  }
}
