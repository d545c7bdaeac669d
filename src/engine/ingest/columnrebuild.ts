// Gives the segments of an index other columns, after a change of settings that only concerns columns: the
// missing columns are made from documents, everything else is copied. The old segments go on answering until
// the new ones are committed. Called by batchdocuments.ts.
import type { Settings } from "../../schemas/settings.ts";
import { changeColumns } from "../../segment/columnchange.ts";
import type { ColumnMeta } from "../../segment/columnformat.ts";
import { GeometryList } from "../../segment/geometrylist.ts";
import type { Interrupt } from "../../segment/interrupt.ts";
import type { Located } from "../../segment/locateddocument.ts";
import type { SegmentEntry } from "../../segment/manifeststate.ts";
import { PointList } from "../../segment/points.ts";
import type { ValueTable } from "../../segment/valuetable.ts";
import {
  type ColumnRules,
  columnRules,
  columnsStay,
  filterFeatures,
  filtersShapes,
  hasColumn,
  hasPoints,
} from "../filter/attributes.ts";
import type { IndexReader, OpenSegment } from "../reader.ts";
import { settingsHash } from "../settingshash.ts";
import { ColumnNumbers, DEGREES } from "./columnnumbers.ts";
import type { DeadDocuments } from "./deaddocuments.ts";
import type { IndexingRun } from "./indexing.ts";
import { SegmentIds } from "./segmentids.ts";
import { type Places, ValuesRun } from "./valuesrun.ts";

/** Number of documents after which the batch checks whether it is to stop. */
const INTERRUPT_DOCUMENTS = 1024;

interface ColumnWork {
  reader: IndexReader;
  dead: DeadDocuments;
  indexing: IndexingRun;
  /** The settings in force; below, those to come. */
  before: Settings;
  after: Settings;
  /** Checks each document that stays; null: there is nothing to check. */
  check: DocumentCheck | null;
  step: (finished: number, total: number) => void;
  interrupt: Interrupt;
}

/** @throws TarsierError for a document that violates the settings to come */
export type DocumentCheck = (document: Located, idOf: () => string) => void;

/**
 * Writes a new segment for each one of the reader. Returns the new entries by the names of the old ones; null
 * when the values of a segment do not fit into memory: then unreferenced files may be left.
 */
export function rebuildColumns(work: ColumnWork): Map<string, SegmentEntry> | null {
  const { reader, indexing, after, interrupt } = work;
  const { core, buffers } = indexing.share;
  const { storage } = reader.share;
  const plan = new ColumnPlan(work.before, after);
  const columns = new ColumnNumbers(after, (name) => plan.isKnown(name));
  const walk = plan.needsWalk ? new Walk(work, columns) : null;
  const rebuilt = new Map<string, SegmentEntry>();
  for (const [place, entry] of reader.state.segments.entries()) {
    interrupt();
    const places = { points: new PointList(), geometries: new GeometryList() };
    const values = walk?.segment(reader.segments[place], places) ?? null;
    if (walk && !values) return null;
    const changed = changeColumns({ core, storage, buffers }, entry, {
      folder: reader.folder,
      name: indexing.takeSegmentName(),
      settingsHash: settingsHash(after),
      fate: (column) => plan.fate(column),
      addNew: (writer) => values?.writeTo(writer, columns),
      points: plan.points === "new" ? places.points : plan.points,
      geometries: plan.geometries === "new" ? places.geometries : plan.geometries,
      interrupt,
    });
    rebuilt.set(entry.name, changed);
  }
  return rebuilt;
}

/** What happens to the locations or the shapes of a segment. */
type Fate = "kept" | "gone" | "new";

function fateOf(before: boolean, after: boolean): Fate {
  if (!after) return "gone";
  return before ? "kept" : "new";
}

/** Which columns are dropped, kept and made. */
class ColumnPlan {
  /** True when documents must be looked at. */
  readonly needsWalk: boolean;
  readonly points: Fate;
  readonly geometries: Fate;
  readonly #after: Settings;
  /** Degrees written as texts become numbers, or texts again. */
  readonly #turnsDegrees: boolean;
  readonly #rulesBefore: ColumnRules;
  readonly #rulesAfter: ColumnRules;

  constructor(before: Settings, after: Settings) {
    this.#after = after;
    this.#rulesBefore = columnRules(before);
    this.#rulesAfter = columnRules(after);
    this.points = fateOf(hasPoints(before), hasPoints(after));
    this.geometries = fateOf(filtersShapes(before), filtersShapes(after));
    this.#turnsDegrees = hasPoints(before) !== hasPoints(after);
    const areNew = this.points === "new" || this.geometries === "new";
    const areTurned = this.#turnsDegrees && DEGREES.some((name) => hasColumn(this.#rulesAfter, name));
    this.needsWalk = areNew || areTurned || !columnsStay(this.#rulesBefore, this.#rulesAfter);
  }

  /** True for a column that a segment has, if any of its documents has the field. */
  isKnown(name: string): boolean {
    // The walker only reports locations and shapes when it makes the column of their field.
    if (name === "_geo" && this.points === "new") return false;
    if (name === "_geojson" && this.geometries === "new") return false;
    if (this.#turnsDegrees && DEGREES.includes(name)) return false;
    return hasColumn(this.#rulesBefore, name);
  }

  fate({ name }: ColumnMeta): boolean | null {
    if (!this.isKnown(name) || !hasColumn(this.#rulesAfter, name)) return null;
    return filterFeatures(this.#after, name) !== null;
  }
}

/** Gathers the values of documents for the new columns, one segment after another. */
class Walk {
  readonly #work: ColumnWork;
  readonly #run: ValuesRun;
  #done = 0;

  constructor(work: ColumnWork, columns: ColumnNumbers) {
    this.#work = work;
    this.#run = new ValuesRun(work.indexing.share, columns);
  }

  /** Null when the values do not fit. */
  segment(open: OpenSegment, places: Places): ValueTable | null {
    const { reader, dead, check, step, interrupt } = this.#work;
    const { segment } = open;
    const ids = check && new SegmentIds(reader, open);
    const values = this.#run.start();
    try {
      for (let ordinal = 0; ordinal < segment.meta.documents; ordinal++) {
        if (this.#done++ % INTERRUPT_DOCUMENTS === 0) {
          interrupt();
          step(this.#done, reader.state.numberOfDocuments);
        }
        reader.share.cache.beginTurn();
        const docid = segment.docidOf(ordinal);
        const document = segment.document(ordinal);
        const stays = !dead.has(docid) && reader.livesIn(open, docid);
        if (ids && stays) check!(document, () => ids.string(ordinal));
        // Deleted documents, too: entries name documents by their place in the segment.
        if (places.geometries.isFull || !this.#run.add(docid, document, places)) return null;
      }
      return values;
    } finally {
      ids?.free();
    }
  }
}
