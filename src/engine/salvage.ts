// Reads what can still be read of an index with damaged files: its newest readable state, and every document
// whose bytes are sound, as lines. Nothing is changed. Called by a repair (tasks/repair), while no server
// runs.
//
// Segments are read from newest to oldest, and each document number once: so an older version of a document
// never comes back, even where the list of deletions cannot be read any more.
import { Core } from "../core/core.ts";
import { ID_BYTES_MAX } from "../core/identifiers.ts";
import { JsonScanner } from "../core/json.ts";
import type { EmbedderSettings } from "../schemas/embedders.ts";
import type { Settings } from "../schemas/settings.ts";
import { VECTORS_FIELD } from "../schemas/vectorsfield.ts";
import { ExtentCache } from "../segment/cache.ts";
import { BlockScratch } from "../segment/documentblocks.ts";
import { attempt } from "../segment/finding.ts";
import { checkLog } from "../segment/logcheck.ts";
import { isManifestName } from "../segment/manifestfiles.ts";
import { MANIFEST_KIND } from "../segment/manifestreader.ts";
import { decodeState, type ManifestState } from "../segment/manifeststate.ts";
import { Segment } from "../segment/segment.ts";
import { readTombstones, Tombstones } from "../segment/tombstones.ts";
import { join, type Storage } from "../storage/storage.ts";
import { FieldSelection } from "./documents/selection.ts";
import { vectorMembers } from "./vectors/given.ts";
import { withMember } from "./vectors/retrieval.ts";
import { fittingVectors, membersJson, NO_VECTORS, shownVectors } from "./vectors/shown.ts";

export interface Salvage {
  state: ManifestState;
  /** Documents that were passed on. */
  documents: number;
  /** Documents that should exist but cannot be read. */
  lost: number;
  /** Ids of some of those, as far as the tables of ids are sound. */
  lostIds: string[];
  /** Documents whose vectors cannot be read: their embedders make new ones. */
  withoutVectors: number;
  /** Number of deletions that cannot be read: those documents come back. */
  deletionsLost: number;
}

/** Sorted by name. */
type NamedEmbedders = readonly [name: string, settings: EmbedderSettings][];

const CACHE_BYTES = 256 * 2 ** 20;
const LOST_IDS_MAX = 10;
const WITHOUT_VECTORS = new FieldSelection(null, [VECTORS_FIELD]);
const LINE_FEED = Buffer.from("\n");

/** The newest state found in any manifest of the folder; null when there is none. */
export function newestState(storage: Storage, folder: string): ManifestState | null {
  let newest: ManifestState | null = null;
  for (const name of storage.list(folder)) {
    if (!isManifestName(name)) continue;
    const file = join(folder, name);
    checkLog(storage, file, MANIFEST_KIND, ignore, (payload) => {
      const state = decodeState(payload, file);
      if (newest === null || state.version > newest.version) newest = state;
    });
  }
  return newest;
}

export class Salvager {
  readonly #storage: Storage;
  readonly #core = new Core();
  readonly #cache: ExtentCache;
  readonly #blocks: BlockScratch;
  readonly #scanner: JsonScanner;
  readonly #id: number;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#id = this.#core.reserve(ID_BYTES_MAX);
    this.#blocks = new BlockScratch(this.#core);
    this.#scanner = new JsonScanner(this.#core);
    this.#cache = new ExtentCache(this.#core, CACHE_BYTES);
  }

  /** Passes on every readable document of a state, one line each. */
  run(folder: string, state: ManifestState, take: (line: Uint8Array) => void): Salvage {
    const salvage: Salvage = {
      state,
      documents: 0,
      lost: 0,
      lostIds: [],
      withoutVectors: 0,
      deletionsLost: 0,
    };
    const embedders = Object.entries((state.settings as Settings).embedders ?? {});
    embedders.sort(([a], [b]) => (a < b ? -1 : 1));
    const seen = new Set<number>();
    // Segment numbers grow, and a merged segment has a larger one than those it was made of.
    const entries = state.segments.toSorted((a, b) => (a.name < b.name ? 1 : -1));
    for (const entry of entries) {
      const { tombstones } = entry;
      const dead = attempt(() => readTombstones(this.#storage, folder, tombstones), ignore, folder, "");
      if (dead === null) salvage.deletionsLost += tombstones!.count;
      const open = () => new Segment(this.#storage, folder, entry.name, this.#cache, this.#blocks);
      const segment = attempt(open, ignore, folder, "");
      if (segment === null) {
        salvage.lost += entry.documents - (tombstones?.count ?? 0);
        continue;
      }
      try {
        this.#readSegment(segment, dead ?? Tombstones.none, embedders, seen, { salvage, take });
      } finally {
        segment.close();
      }
    }
    return salvage;
  }

  #readSegment(
    segment: Segment,
    dead: Tombstones,
    embedders: NamedEmbedders,
    seen: Set<number>,
    { salvage, take }: { salvage: Salvage; take(line: Uint8Array): void },
  ): void {
    for (let ordinal = 0; ordinal < segment.meta.documents; ordinal++) {
      this.#cache.beginTurn();
      const docid = attempt(() => segment.docidOf(ordinal), ignore, "", "");
      if (docid !== null && (dead.has(docid) || seen.has(docid))) continue;
      // Without the table of docids it is unknown which of the documents live.
      const line = docid === null ? null : this.#lineOf(segment, ordinal, docid, embedders, salvage);
      if (line === null) {
        salvage.lost++;
        this.#noteId(segment, ordinal, salvage.lostIds);
      } else {
        salvage.documents++;
        take(line);
      }
      if (docid !== null) seen.add(docid);
    }
  }

  #lineOf(
    segment: Segment,
    ordinal: number,
    docid: number,
    embedders: NamedEmbedders,
    salvage: Salvage,
  ): Uint8Array | null {
    const whole = attempt(() => this.#bytesOf(segment, ordinal), ignore, "", "");
    if (whole === null || embedders.length === 0) return whole && Buffer.concat([whole, LINE_FEED]);
    const known = attempt(() => segment.vectorsOf(docid), ignore, "", "");
    if (known === null) salvage.withoutVectors++;
    const { pointer, length } = segment.document(ordinal);
    const members = new Map(vectorMembers(this.#scanner, pointer, length) ?? []);
    for (const [name, settings] of embedders) {
      const vectors = known?.find(({ embedder }) => embedder === name);
      const fitting = vectors && fittingVectors(vectors, settings, salvage.state.embedders[name]);
      if (fitting !== null) members.set(name, fitting ? shownVectors(fitting) : NO_VECTORS);
    }
    const bare = WITHOUT_VECTORS.select(this.#scanner, pointer, length);
    const document = withMember(bare, `"${VECTORS_FIELD}":${membersJson(members)}`);
    return Buffer.concat([document, LINE_FEED]);
  }

  #bytesOf(segment: Segment, ordinal: number): Uint8Array {
    const { pointer, length } = segment.document(ordinal);
    return this.#core.read(pointer, length);
  }

  #noteId(segment: Segment, ordinal: number, ids: string[]): void {
    if (ids.length === LOST_IDS_MAX) return;
    const read = () => {
      const length = this.#core.exports.idSectionText(segment.load("ids"), ordinal, this.#id);
      return length < 0 ? null : Buffer.from(this.#core.read(this.#id, length)).toString();
    };
    const id = attempt(read, ignore, "", "");
    if (id !== null) ids.push(id);
  }
}

/** Damage is not reported here: the check of all files has reported it already. */
function ignore(): void {}
