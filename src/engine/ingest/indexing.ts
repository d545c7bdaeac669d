// Turns documents into segments: a run that a batch or a rebuild feeds, document by document. It begins a new
// segment whenever the inverter is full, and where docids do not ascend. Begun by batchwork.ts, fed by
// documentfeed.ts and columnrebuild.ts.
import type { Core, CoreImports } from "../../core/core.ts";
import { FIELD_NONE, FIELD_NONE_BELOW } from "../../core/json.ts";
import { Tokenizer } from "../../core/tokenizer.ts";
import { TarsierError } from "../../errors.ts";
import type { Settings } from "../../schemas/settings.ts";
import { type Analysis, BuildBuffers, SegmentBuilder } from "../../segment/builder.ts";
import { Inverter, type Outcome } from "../../segment/inverter.ts";
import type { Located } from "../../segment/locateddocument.ts";
import { segmentName } from "../../segment/manifestfiles.ts";
import type { SegmentEntry } from "../../segment/manifeststate.ts";
import type { DocumentVectors } from "../../segment/vectorformat.ts";
import type { Storage } from "../../storage/storage.ts";
import { defaultSettings } from "../defaultsettings.ts";
import { storedFacetText } from "../filter/facettext.ts";
import { locationOf } from "../filter/geo.ts";
import { geometryOf } from "../filter/geojson.ts";
import { localesOfField } from "../search/locales.ts";
import { isNeverSearched, weightOf } from "../searchfields.ts";
import { settingsHash } from "../settingshash.ts";
import type { IndexingBudget } from "./budget.ts";
import { ColumnNumbers } from "./columnnumbers.ts";
import { forDocument, LargeDocument } from "./largedocument.ts";

const UNSET = defaultSettings();
/** Most searchable fields of an index, each flattened name counted. */
export const FIELDS_MAX = 65535;

/** The memory of an indexing thread that outlives a batch. */
export class IndexingShare {
  readonly core: Core;
  readonly budget: IndexingBudget;
  readonly tokenizer: Tokenizer;
  readonly inverter: Inverter;
  readonly buffers: BuildBuffers;
  /** Hash of the settings for which the tokenizer is configured. */
  #configured: string | null = null;

  constructor(core: Core, budget: IndexingBudget) {
    this.core = core;
    this.budget = budget;
    this.tokenizer = new Tokenizer(core);
    this.inverter = new Inverter(core, this.tokenizer, budget.inverterBytes);
    this.buffers = new BuildBuffers(core, budget);
  }

  /** The form under which a word is indexed when no settings change how texts are split. */
  fold(word: string): string {
    this.configure(UNSET, settingsHash(UNSET));
    return this.tokenizer.foldTokens(word);
  }

  /** Configures the tokenizer for some settings, unless it already is: long lists take long. */
  configure(settings: Settings, hash: string): void {
    if (hash !== this.#configured) this.tokenizer.configure(settings);
    this.#configured = hash;
  }
}

interface IndexingTarget {
  storage: Storage;
  folder: string;
  /** Number used in the next segment's name. */
  nextSegment: number;
  settings: Settings;
  /** Searchable fields known so far; the run extends a copy. */
  fields: readonly string[];
  /** Kinds of ids in the documents that will be added: bits (segment/idkinds.ts). */
  idKinds: number;
  interrupt: () => void;
}

export class IndexingRun {
  readonly share: IndexingShare;
  readonly #target: IndexingTarget;
  readonly #analysis: Analysis;
  readonly #fieldNumbers: Map<string, number>;
  readonly #columns: ColumnNumbers;
  #builder: SegmentBuilder | null = null;
  #lastDocid = -1;
  /** The largest document of the current segment. */
  #largest = { docid: -1, bytes: 0 };
  readonly fields: string[];
  readonly segments: SegmentEntry[] = [];
  /** Shape number -> number of documents added. */
  readonly #shapeCounts: number[] = [];
  nextSegment: number;

  constructor(share: IndexingShare, target: IndexingTarget) {
    this.share = share;
    this.#target = target;
    this.nextSegment = target.nextSegment;
    this.fields = [...target.fields];
    this.#fieldNumbers = new Map(this.fields.map((name, number) => [name, number]));
    const { inverter } = share;
    const { settings } = target;
    this.#columns = new ColumnNumbers(settings);
    const hash = settingsHash(settings);
    share.configure(settings, hash);
    const columns = this.#columns.isIdle ? null : this.#columns;
    this.#analysis = {
      inverter,
      columns,
      shapes: [],
      settingsHash: hash,
      idKinds: target.idKinds,
      locationOf: (json) => locationOf(JSON.parse(json)),
      geometryOf: (json) => geometryOf(JSON.parse(json)),
      interrupt: target.interrupt,
    };
    this.attach();
  }

  /** Makes the walker call this run; needed again when another one took it over. */
  attach(): void {
    const { core, inverter } = this.share;
    core.imports.field = (path, length) => this.#fieldNumber(core.text(path, length));
    core.imports.column = (path, length) => this.#columns.numberOf(core.text(path, length));
    core.imports.facet = facetImport(core);
    core.imports.shape = (json, length) => this.#shapeNumber(core.text(json, length));
    inverter.resetWalker();
    this.#setLocales();
  }

  /** A name for the next segment. */
  takeSegmentName(): string {
    return segmentName(this.nextSegment++);
  }

  /** Reports how many of the documents so far have each top-level field. A name may come several times. */
  eachField(visit: (name: string, documents: number) => void): void {
    this.#shapeCounts.forEach((documents, shape) => {
      for (const name of this.#analysis.shapes[shape]) visit(name, documents);
    });
  }

  /**
   * Adds a document that is, like its id, in the core's memory.
   * @throws TarsierError for a document that cannot be indexed, LargeDocument for one without enough memory
   */
  add(docid: number, id: Located, document: Located, vectors: readonly DocumentVectors[]): void {
    const { inverter } = this.share;
    const bytes = document.length;
    if (forDocument(bytes, docid, () => inverter.makeRoom(bytes))) this.#setLocales();
    if (docid <= this.#lastDocid) this.finish();
    this.#lastDocid = docid;
    let outcome = this.#put(docid, id, document, vectors);
    if (outcome === "full" && this.#builder!.count > 0) {
      this.finish();
      outcome = this.#put(docid, id, document, vectors);
    }
    if (outcome === "full") throw new LargeDocument("words", bytes, docid);
    if (outcome === "tooManyPaths")
      throw new TarsierError("max_fields_limit_exceeded", { limit: FIELDS_MAX });
    if (outcome !== "done") throw new TarsierError("internal", { message: "a document nests too deeply" });
    if (bytes > this.#largest.bytes) this.#largest = { docid, bytes };
    this.#shapeCounts[inverter.shape] = (this.#shapeCounts[inverter.shape] ?? 0) + 1;
  }

  /** Completes the current segment. */
  finish(): void {
    if (!this.#builder) return;
    const builder = this.#builder;
    const { docid, bytes } = this.#largest;
    this.segments.push(forDocument(bytes, docid, () => builder.finish()));
    this.#builder = null;
    this.#largest = { docid: -1, bytes: 0 };
  }

  /** Gives up the current segment; its files are left for the caller to remove. */
  abandon(): void {
    this.#builder?.abandon();
    this.#builder = null;
  }

  /** Adds it to the current segment, or to a new one. */
  #put(docid: number, id: Located, document: Located, vectors: readonly DocumentVectors[]): Outcome {
    this.#builder ??= this.#begin();
    const builder = this.#builder;
    return forDocument(document.length, docid, () => builder.add(docid, id, document, vectors));
  }

  #begin(): SegmentBuilder {
    const { storage, folder } = this.#target;
    return new SegmentBuilder(this.share.buffers, this.#analysis, storage, folder, this.takeSegmentName());
  }

  #fieldNumber(name: string): number {
    const { settings } = this.#target;
    const known = this.#fieldNumbers.get(name);
    if (weightOf(settings, name) < 0) return this.#nothingBelow(name) ? FIELD_NONE_BELOW : FIELD_NONE;
    if (known !== undefined) return known;
    if (this.fields.length >= FIELDS_MAX)
      throw new TarsierError("max_fields_limit_exceeded", { limit: FIELDS_MAX });
    const number = this.fields.push(name) - 1;
    this.#fieldNumbers.set(name, number);
    this.#setLocale(name, number);
    return number;
  }

  /** True when neither the field nor any field below it can be searchable or have a column. */
  #nothingBelow(name: string): boolean {
    const { searchableAttributes } = this.#target.settings;
    if (this.#columns.covers(name)) return false;
    if (searchableAttributes.includes("*")) return isNeverSearched(name);
    return !searchableAttributes.some((entry) => entry.startsWith(`${name}.`));
  }

  #setLocales(): void {
    for (const [number, name] of this.fields.entries()) this.#setLocale(name, number);
  }

  #setLocale(name: string, number: number): void {
    const locales = localesOfField(this.#target.settings, name);
    this.share.inverter.setLocale(number, this.share.tokenizer.localeCode(locales));
  }

  #shapeNumber(json: string): number {
    return this.#analysis.shapes.push(Object.keys(JSON.parse(json) as object)) - 1;
  }
}

/** The `facet` import of a core. */
export function facetImport(core: Core): CoreImports["facet"] {
  return (text, length, out) => {
    const stored = storedFacetText(core.text(text, length));
    core.write(out, stored);
    return stored.length;
  };
}
