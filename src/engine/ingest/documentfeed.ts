// Passes documents on into segments. Documents whose vectors are still to be made wait until there are enough
// of them, and so do all that follow them, since docids ascend. Called by batchdocuments.ts and rebuild.ts.
import type { Core } from "../../core/core.ts";
import { Region } from "../../core/region.ts";
import type { CallStatistics } from "../../embedders/embedder.ts";
import type { Located } from "../../segment/locateddocument.ts";
import type {
  ChangedDocument,
  DocumentPreparation,
  DocumentWish,
  PreparedDocument,
} from "../vectors/documentvectors.ts";
import type { EmbedderPlan } from "../vectors/plan.ts";
import { isDefault, withEmbedded } from "../vectors/upkeep.ts";
import type { Wait, Work } from "../work.ts";
import type { IndexingRun } from "./indexing.ts";

/** Number of texts that are embedded together: as many as an embedder can have under way at once. */
const TEXTS_MAX = 400;
/** Most documents that wait; below, most bytes of them and their vectors. */
const WAITING_DOCUMENTS_MAX = 4096;
const WAITING_BYTES_MAX = 16 * 2 ** 20;

interface Waiting extends PreparedDocument {
  docid: number;
  id: string;
}

export class DocumentFeed {
  readonly #core: Core;
  readonly #indexing: IndexingRun;
  readonly #calls: CallStatistics;
  readonly #room: Region;
  readonly preparation: DocumentPreparation;
  #waiting: Waiting[] = [];
  #texts = 0;
  #bytes = 0;
  /** Number of vectors of the documents that were fed, and of documents with vectors. */
  readonly counts = { vectors: 0, documents: 0 };

  constructor(core: Core, indexing: IndexingRun, preparation: DocumentPreparation, calls: CallStatistics) {
    this.#core = core;
    this.#indexing = indexing;
    this.#calls = calls;
    this.#room = new Region(core);
    this.preparation = preparation;
  }

  /** Feeds a document as it came, while no others are waiting. */
  addPlain(docid: number, id: Located, content: Located): void {
    this.#indexing.add(docid, id, content, []);
  }

  /** Feeds a document. Docids must ascend. */
  *add(docid: number, document: ChangedDocument): Work<void> {
    const prepared = this.preparation.prepare(document);
    this.#waiting.push({ ...prepared, docid, id: document.id });
    this.#texts += prepared.wishes.length;
    this.#bytes += prepared.content.length;
    for (const { values } of prepared.vectors) this.#bytes += values.byteLength;
    const isFull = this.#waiting.length >= WAITING_DOCUMENTS_MAX || this.#bytes >= WAITING_BYTES_MAX;
    if (this.#texts === 0 || this.#texts >= TEXTS_MAX || isFull) yield* this.flush();
  }

  /** Embeds the pending texts, and feeds all waiting documents. */
  *flush(): Work<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const wishes = waiting.flatMap((document) => document.wishes.map((wish) => ({ document, wish })));
    for (const plan of new Set(wishes.map(({ wish }) => wish.plan))) {
      yield this.#embedding(
        plan,
        wishes.filter(({ wish }) => wish.plan === plan),
      );
    }
    for (const document of waiting) this.#feed(document);
    this.#texts = 0;
    this.#bytes = 0;
  }

  /** Gives memory back. May be called twice. */
  free(): void {
    this.#room.free();
    this.#waiting = [];
  }

  #embedding(plan: EmbedderPlan, wishes: { document: Waiting; wish: DocumentWish }[]): Wait {
    return async (signal) => {
      const found = await plan.embedder.embedDocuments(
        wishes.map(({ wish }) => wish.text),
        { signal, calls: this.#calls, describe: (at) => `document \`${wishes[at].document.id}\`` },
      );
      const made = new Map<Waiting, { at: number; slot: number; vector: Float32Array }[]>();
      wishes.forEach(({ document, wish }, i) => {
        const vector = found[i];
        if (vector) made.set(document, [...(made.get(document) ?? []), { ...wish, vector }]);
      });
      for (const [{ vectors }, all] of made) {
        const [{ at }] = all;
        vectors[at] = withEmbedded(vectors[at], all, plan);
      }
    };
  }

  #feed({ docid, id, content, vectors: all }: Waiting): void {
    const vectors = all.filter((one) => !isDefault(one));
    const count = vectors.reduce((sum, { slots }) => sum + slots.length, 0);
    this.counts.vectors += count;
    if (count > 0) this.counts.documents++;
    const idBytes = Buffer.from(id);
    const pointer = this.#room.ensure(content.length + idBytes.length);
    this.#core.write(pointer, content);
    const idText = { pointer: pointer + content.length, length: idBytes.length };
    this.#core.write(idText.pointer, idBytes);
    this.#indexing.add(docid, idText, { pointer, length: content.length }, vectors);
  }
}
