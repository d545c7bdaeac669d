// Merges the sections `points` of segments (points.ts). Called by merge.ts.
import type { Core } from "../core/core.ts";
import { Region } from "../core/region.ts";
import type { MergeOutput, MergeSource } from "./mergeparts.ts";
import { type Location, PointArrays, PointList } from "./points.ts";

/** Number of points after which a merge checks whether it is to stop. */
const INTERRUPT_POINTS = 65536;

/** Writes the points of the live documents of all sources. Returns their number. */
export function mergePoints(core: Core, sources: readonly MergeSource[], output: MergeOutput): number {
  const merged = new PointList();
  const regions = sources.map(() => new Region(core));
  const addresses = sources.map(({ file, meta }, i) =>
    meta.points ? file.readSection(core, "points", (bytes) => regions[i].ensure(bytes)) : 0,
  );
  const streams = sources.map(
    (source, i) =>
      new PointStream(core, source, new PointArrays(core.u8.buffer, addresses[i], source.meta.points)),
  );
  for (let done = 0; ; done++) {
    if (done % INTERRUPT_POINTS === 0) output.interrupt();
    let [first] = streams;
    for (const stream of streams) if (stream.docid < first.docid) first = stream;
    if (first.docid === Number.POSITIVE_INFINITY) break;
    merged.add(first.docid, first.location);
    first.advance();
  }
  for (const region of regions) region.free();
  return merged.writeTo(output.writer);
}

/** The live points of one source. */
class PointStream {
  readonly #core: Core;
  readonly #source: MergeSource;
  readonly #points: PointArrays;
  #at = -1;
  /** Infinity after the last. */
  docid = -1;

  constructor(core: Core, source: MergeSource, points: PointArrays) {
    this.#core = core;
    this.#source = source;
    this.#points = points;
    this.advance();
  }

  get location(): Location {
    return { lat: this.#points.lats[this.#at], lng: this.#points.lngs[this.#at] };
  }

  advance(): void {
    const { tombstones, words } = this.#source;
    const { bitmapHas } = this.#core.exports;
    do {
      this.#at++;
      this.docid = this.#at < this.#points.count ? this.#points.docids[this.#at] : Number.POSITIVE_INFINITY;
    } while (this.#at < this.#points.count && tombstones && bitmapHas(tombstones, words, this.docid));
  }
}
