// Checks that the geometries of a segment fit together: they fill their section, belong to documents, contain
// what their rows say, and lie in their boxes. Called by segmentcheck.ts when all chunks are sound.
import { damagedFile } from "../storage/failure.ts";
import { Geometries } from "./geometries.ts";
import { boxAround, headBytes } from "./geometryformat.ts";
import type { Segment } from "./segment.ts";

/**
 * `held`: the docids of the segment.
 * @throws DamageError for the first geometry that does not fit
 */
export function checkGeometries(segment: Segment, held: ReadonlySet<number>): void {
  const { file, meta } = segment;
  const { offset, length } = file.section("geometries");
  const damage = (expected: string, found: string) =>
    damagedFile({ file: file.path, offset, section: "geometries", expected, found });
  const room = meta.geometries === 0 ? 0 : headBytes(meta.geometries);
  if (length < room) throw damage(`${meta.geometries} geometries`, `${length} bytes`);
  if (meta.geometries === 0) {
    if (length > 0) throw damage("no geometries", `${length} bytes`);
    return;
  }
  const geometries = new Geometries(segment);
  const { heads } = geometries;
  let end = room;
  for (let at = 0; at < heads.count; at++) {
    const docid = heads.docids[at];
    const place = heads.place(at);
    if (!held.has(docid) || (at > 0 && docid <= heads.docids[at - 1]))
      throw damage("geometries of documents in order", `document ${docid}`);
    if (place.offset !== end || place.length < 0 || end + place.length > length)
      throw damage(`a geometry at ${end}`, `one at ${place.offset}, of ${place.length} bytes`);
    end += place.length;
    const box = boxAround(geometries.read(at).positions);
    const { west, south, east, north } = heads;
    const isAround =
      west[at] === box.west && south[at] === box.south && east[at] === box.east && north[at] === box.north;
    if (!isAround) throw damage(`the box of document ${docid}`, "another");
  }
  if (end !== length) throw damage(`${end} bytes`, `${length} bytes`);
}
