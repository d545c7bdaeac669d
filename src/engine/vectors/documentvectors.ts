// One document of a batch on its way into the index: takes out its `_vectors`, settles which vectors it has
// for each embedder, and leaves in it what belongs to no embedder. Called by ingest/documentfeed.ts.
import type { JsonScanner } from "../../core/json.ts";
import type { Prompt } from "../../embedders/embedder.ts";
import { TarsierError } from "../../errors.ts";
import type { Settings } from "../../schemas/settings.ts";
import { VECTORS_FIELD } from "../../schemas/vectorsfield.ts";
import type { Located } from "../../segment/locateddocument.ts";
import type { DocumentVectors } from "../../segment/vectorformat.ts";
import { replaceMember } from "../documents/replacement.ts";
import type { IndexReader } from "../reader.ts";
import { weightOf } from "../searchfields.ts";
import { documentFields, type Fields } from "./documentfields.ts";
import {
  checkForm,
  type GivenVectors,
  givenVectors,
  mentionsVectors,
  parsedVectors,
  vectorEntries,
  vectorMembers,
} from "./given.ts";
import type { EmbedderPlan, VectorPlan } from "./plan.ts";
import { membersJson, shownVectors } from "./shown.ts";
import { emptyVectors, keepUp, misfit, type Upkeep, type Wish } from "./upkeep.ts";

/** A member of `_vectors`: its vectors for an existing embedder, its JSON for an unknown one. */
type Member = GivenVectors | string;

/** Members of `_vectors`; null when the document has no such field. */
export type Members = ReadonlyMap<string, Member> | null;

/** A document as the batch leaves it. */
export interface ChangedDocument {
  id: string;
  content: Uint8Array;
  /** Number of the document before the batch; -1 when there was none, or its vectors are not kept. */
  oldDocid: number;
  /** The content is laid over the old one, or is the old one. */
  keepsOld: boolean;
  /** `_vectors` of each piece that the batch brings, in order. Empty: the batch leaves the document alone. */
  members: readonly Members[];
  /** Place of the first piece that is part of the content. */
  contentFrom: number;
  /** The document as it was after one of the pieces, by the piece's place. */
  contentAfter: (place: number) => Uint8Array;
}

/** A text to embed for a document; its vector goes into one of `vectors`. */
export interface DocumentWish extends Wish {
  plan: EmbedderPlan;
  /** Place in `vectors`. */
  at: number;
}

export interface PreparedDocument {
  content: Uint8Array;
  vectors: DocumentVectors[];
  wishes: DocumentWish[];
}

/** What the index has of a document from before the batch. */
interface Stored {
  vectors: readonly DocumentVectors[];
  /** JSON of the members of `_vectors`. */
  members: ReadonlyMap<string, string> | null;
  fields: () => Fields;
}

export class DocumentPreparation {
  readonly #reader: IndexReader;
  readonly #scanner: JsonScanner;
  readonly #plan: VectorPlan;
  /** Names of the embedders in the plan. */
  readonly #embedders: ReadonlySet<string>;
  readonly #settings: Settings;
  readonly #indexUid: string;

  /** `settings`: those after the batch. */
  constructor(
    reader: IndexReader,
    scanner: JsonScanner,
    plan: VectorPlan,
    { settings, indexUid }: { settings: Settings; indexUid: string },
  ) {
    this.#reader = reader;
    this.#scanner = scanner;
    this.#plan = plan;
    this.#embedders = new Set(plan.embedders.map(({ name }) => name));
    this.#settings = settings;
    this.#indexUid = indexUid;
  }

  /** True when documents without `_vectors` are stored as they come. */
  get isIdle(): boolean {
    return this.#plan.embedders.length === 0 && this.#plan.removed.length === 0;
  }

  /**
   * `_vectors` of a document or of a piece.
   * @throws TarsierError `invalid_vectors_type`
   */
  membersOf({ pointer, length }: Located, id: string): Members {
    const entries = vectorEntries(this.#scanner, pointer, length, this.#placeOf(id));
    if (!entries) return null;
    const members = new Map<string, Member>();
    for (const [name, entry] of entries) {
      const memberPlace = this.#memberPlace(id, name);
      if (this.#embedders.has(name)) members.set(name, givenVectors(this.#scanner, entry, memberPlace));
      else {
        checkForm(this.#scanner, entry, memberPlace);
        members.set(name, this.#scanner.source(entry));
      }
    }
    return members;
  }

  /**
   * @throws TarsierError `invalid_vectors_type`, `invalid_vector_dimensions`, `vector_embedding_error`,
   * `invalid_document_fields`
   */
  prepare(document: ChangedDocument): PreparedDocument {
    const { content } = document;
    const fields = once(() => documentFields(this.#scanner, content));
    const stored = this.#stored(document, fields);
    const vectors: DocumentVectors[] = [];
    const wishes: DocumentWish[] = [];
    for (const plan of this.#plan.embedders) {
      const upkeep = this.#keepUp(plan, document, stored, fields);
      for (const wish of upkeep.wishes) wishes.push({ ...wish, plan, at: vectors.length });
      vectors.push(upkeep.vectors);
    }
    const members = this.#membersAfter(document, stored);
    return { content: this.#withMembers(content, members), vectors, wishes };
  }

  #keepUp(
    plan: EmbedderPlan,
    document: ChangedDocument,
    stored: Stored | null,
    fields: () => Fields,
  ): Upkeep {
    const { name, before } = plan;
    const { id } = document;
    const place = this.#memberPlace(id, name);
    const isAdopting = before === null && document.keepsOld;
    const json = isAdopting ? stored?.members?.get(name) : undefined;
    const adopted = json === undefined ? null : parsedVectors(json, place);
    const known = stored?.vectors.find(({ embedder }) => embedder === name) ?? null;
    const given = document.members.map((members, at) => {
      const member = members?.get(name);
      if (typeof member !== "object") return null;
      // Like other mistakes in a piece that others have replaced since, this one is none any more.
      const isReplaced = at < document.contentFrom;
      return isReplaced && misfit(member.vectors ?? [], plan) >= 0 ? null : member;
    });
    const earlier = (place: number): Prompt[] | null => {
      const piece = adopted ? place - 1 : place;
      if (piece >= 0)
        return this.#promptsOf(
          plan.embedder,
          id,
          documentFields(this.#scanner, document.contentAfter(piece)),
        );
      return stored && before ? this.#promptsOf(before, id, stored.fields()) : null;
    };
    return keepUp(plan, {
      old: stored && before ? (known ?? emptyVectors(plan)) : null,
      given: adopted ? [adopted, ...given] : given,
      isTouched: given.length > 0,
      place,
      prompts: () => this.#promptsOf(plan.embedder, id, fields()),
      promptsAfter: (place) => {
        try {
          return earlier(place);
        } catch (error) {
          // A text that could not be rendered before has changed if it can be now.
          if (error instanceof TarsierError && error.code === "invalid_document_fields") return null;
          throw error;
        }
      },
    });
  }

  #stored({ oldDocid, members }: ChangedDocument, fields: () => Fields): Stored | null {
    if (oldDocid < 0) return null;
    const { cache } = this.#reader.share;
    cache.beginTurn();
    const { segment, ordinal } = this.#reader.find(oldDocid)!;
    const vectors = segment.vectorsOf(oldDocid);
    const hasMembers = segment.meta.shapes[segment.shapeOf(ordinal)].includes(VECTORS_FIELD);
    const locate = () => segment.document(ordinal);
    const old = hasMembers ? locate() : null;
    return {
      vectors,
      members: old && vectorMembers(this.#scanner, old.pointer, old.length),
      fields: members.length === 0 ? fields : once(() => this.#parsed(locate())),
    };
  }

  #parsed({ pointer, length }: Located): Fields {
    return documentFields(this.#scanner, this.#reader.share.core.read(pointer, length));
  }

  #promptsOf(embedder: EmbedderPlan["embedder"], id: string, fields: Fields): Prompt[] {
    const isSearchable = (field: string) => {
      const { searchableAttributes } = this.#settings;
      return weightOf(this.#settings, field) >= 0 && matches(searchableAttributes, field);
    };
    return embedder.promptsOf({ id, fields, isSearchable });
  }

  /**
   * The members that stay in the document: those of no embedder, and what users gave to embedders that are
   * removed.
   */
  #membersAfter(
    { keepsOld, members, contentFrom }: ChangedDocument,
    stored: Stored | null,
  ): Map<string, string> {
    const after = new Map(keepsOld ? stored?.members : null);
    for (const part of members.slice(contentFrom))
      for (const [name, member] of part ?? []) if (typeof member === "string") after.set(name, member);
    for (const vectors of stored?.vectors ?? []) {
      const isKept = this.#plan.removed.includes(vectors.embedder) && !vectors.regenerates;
      if (isKept && !after.has(vectors.embedder)) after.set(vectors.embedder, shownVectors(vectors));
    }
    for (const { name } of this.#plan.embedders) after.delete(name);
    return after;
  }

  #withMembers(content: Uint8Array, members: ReadonlyMap<string, string>): Uint8Array {
    const [pointer] = this.#scanner.lend(content);
    const json = members.size > 0 ? membersJson(members) : null;
    const isWithout =
      !mentionsVectors(this.#scanner, pointer, content.length) && !content.includes(BACKSLASH);
    // A document may write the field's name with escapes.
    if (json === null && isWithout) return content;
    return replaceMember(this.#scanner, pointer, content.length, VECTORS_FIELD, json);
  }

  #placeOf(id: string): string {
    return `Index \`${this.#indexUid}\`, document \`${id}\``;
  }

  #memberPlace(id: string, name: string): string {
    return `${this.#placeOf(id)}, field \`.${VECTORS_FIELD}.${name}\``;
  }
}

const BACKSLASH = 0x5c;

const matches = (attributes: readonly string[], name: string): boolean =>
  attributes.includes("*") || attributes.includes(name);

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
