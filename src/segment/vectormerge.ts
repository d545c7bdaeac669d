// The vectors of several segments brought into one: those of documents that live, in the order of their
// docids. Called by merge.ts. Each row is read once.
import type { Core } from "../core/core.ts";
import type { MergeOutput, MergeSource } from "./merge.ts";
import { SectionStream } from "./stream.ts";
import { inKeyOrder, VectorArrays } from "./vectorarrays.ts";
import { storeKey, type VectorLayout, type VectorMeta, vectorLayout } from "./vectorformat.ts";

/** Documents between two looks at whether the merge is to stop. */
const INTERRUPT_DOCUMENTS = 4096;

/** Writes section `vectors` unless no document that lives has any. */
export function mergeVectors(core: Core, sources: readonly MergeSource[], output: MergeOutput): VectorMeta[] {
  const groups = new Map(
    sources.flatMap(({ meta }) => meta.vectors).map((meta) => [storeKey(meta), meta] as const),
  );
  if (groups.size === 0) return [];
  const { writer } = output;
  writer.beginSection("vectors");
  const begin = writer.bytes;
  const merged = inKeyOrder(groups.values()).flatMap((group) => {
    const parts = sources.flatMap((source) =>
      source.meta.vectors
        .filter((meta) => storeKey(meta) === storeKey(group))
        .map((meta) => output.workspace.own(new StoreReader(core, source, meta, output))),
    );
    const meta = mergeStores(group, parts, writer.bytes - begin, output);
    for (const part of parts) part.free();
    return meta ? [meta] : [];
  });
  writer.endSection();
  return merged;
}

/** Null when no document is left. */
function mergeStores(
  group: VectorMeta,
  parts: readonly StoreReader[],
  at: number,
  { writer, interrupt }: MergeOutput,
): VectorMeta | null {
  const arrays = new VectorArrays(group);
  for (;;) {
    let [first] = parts;
    for (const part of parts) if (part.docid < first.docid) first = part;
    if (first.docid === Number.POSITIVE_INFINITY) break;
    if (arrays.documents % INTERRUPT_DOCUMENTS === 0) interrupt();
    arrays.addDocument(first.docid, first.flags);
    const { pointer, bytes, slots } = first.vectors();
    writer.appendFrom(pointer, bytes);
    for (const slot of slots) arrays.addVector(slot);
    first.advance();
  }
  return arrays.documents > 0 ? arrays.writeTo(writer, at) : null;
}

/** The living documents of one store, from the first to the last. */
class StoreReader {
  /** Of the next one; Infinity behind the last. */
  docid = -1;
  #place = -1;
  readonly #core: Core;
  readonly #source: MergeSource;
  readonly #meta: VectorMeta;
  readonly #layout: VectorLayout;
  readonly #rows: SectionStream;
  readonly #docids: number;
  readonly #firsts: number;
  readonly #slots: number;
  readonly #flags: number;

  constructor(core: Core, source: MergeSource, meta: VectorMeta, { workspace }: MergeOutput) {
    this.#core = core;
    this.#source = source;
    this.#meta = meta;
    this.#layout = vectorLayout(meta);
    this.#rows = new SectionStream(core, source.file, "vectors");
    const { docids, firsts, slots, flags } = this.#layout;
    const start = source.file.section("vectors").offset + meta.at;
    const load = (offset: number, length: number) =>
      source.file.readRange(core, start + offset, length, (bytes) => workspace.take(bytes));
    this.#docids = load(docids, 4 * meta.documents) >>> 2;
    this.#firsts = load(firsts, 4 * (meta.documents + 1)) >>> 2;
    this.#slots = load(slots, meta.vectors);
    this.#flags = load(flags, meta.documents);
    this.advance();
  }

  get flags(): number {
    return this.#core.u8[this.#flags + this.#place];
  }

  /** The rows of the document at hand, until the next call, and their slots. */
  vectors(): { pointer: number; bytes: number; slots: Uint8Array } {
    const { u8, u32 } = this.#core;
    const from = u32[this.#firsts + this.#place];
    const to = u32[this.#firsts + this.#place + 1];
    const { rowBytes } = this.#layout;
    const bytes = (to - from) * rowBytes;
    const pointer = bytes > 0 ? this.#rows.view(this.#meta.at + from * rowBytes, bytes) : 0;
    return { pointer, bytes, slots: u8.subarray(this.#slots + from, this.#slots + to) };
  }

  /** To the next document that lives. */
  advance(): void {
    const { tombstones, words } = this.#source;
    const { documents } = this.#meta;
    do {
      this.#place++;
      const isEnd = this.#place >= documents;
      this.docid = isEnd ? Number.POSITIVE_INFINITY : this.#core.u32[this.#docids + this.#place];
    } while (
      this.#place < documents &&
      tombstones &&
      this.#core.exports.bitmapHas(tombstones, words, this.docid)
    );
  }

  free(): void {
    this.#rows.free();
  }
}
