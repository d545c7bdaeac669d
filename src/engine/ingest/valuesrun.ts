// Gathers the values of documents for some columns, and their locations, but not their words. Called by
// columnrebuild.ts to make the columns that a segment lacks.
import type { Core } from "../../core/core.ts";
import { FIELD_NONE, FIELD_NONE_BELOW } from "../../core/json.ts";
import { TarsierError } from "../../errors.ts";
import type { GeometryList } from "../../segment/geometrylist.ts";
import type { Inverter } from "../../segment/inverter.ts";
import type { Located } from "../../segment/locateddocument.ts";
import type { PointList } from "../../segment/points.ts";
import type { ValueTable } from "../../segment/valuetable.ts";
import { locationOf } from "../filter/geo.ts";
import { geometryOf } from "../filter/geojson.ts";
import type { ColumnNumbers } from "./columnnumbers.ts";
import { facetImport, type IndexingShare } from "./indexing.ts";

/** The locations and shapes of a segment's documents. */
export interface Places {
  points: PointList;
  geometries: GeometryList;
}

export class ValuesRun {
  readonly #core: Core;
  readonly #inverter: Inverter;

  /** Takes over the walker: an indexing run must `attach` again afterwards. */
  constructor({ core, inverter }: IndexingShare, columns: ColumnNumbers) {
    this.#core = core;
    this.#inverter = inverter;
    core.imports.field = (path, length) =>
      columns.covers(core.text(path, length)) ? FIELD_NONE : FIELD_NONE_BELOW;
    core.imports.column = (path, length) => columns.numberOf(core.text(path, length));
    core.imports.facet = facetImport(core);
    core.imports.shape = () => 0;
    inverter.resetWalker();
  }

  /** Begins a segment. */
  start(): ValueTable {
    return this.#inverter.startValues();
  }

  /** Adds the next document of the segment; false when its values do not fit. */
  add(docid: number, { pointer, length }: Located, { points, geometries }: Places): boolean {
    this.#inverter.makeRoom(length);
    const outcome = this.#inverter.add(docid, pointer, length);
    if (outcome === "full") return false;
    if (outcome !== "done") throw new TarsierError("internal", { message: `document ${docid}: ${outcome}` });
    const { point, geometry } = this.#inverter;
    const location = point && locationOf(JSON.parse(this.#core.text(point.pointer, point.length)));
    if (location) points.add(docid, location);
    const shape = geometry && geometryOf(JSON.parse(this.#core.text(geometry.pointer, geometry.length)));
    if (shape) geometries.add(docid, shape);
    return true;
  }
}
