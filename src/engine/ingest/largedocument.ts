// A document that the memory for building indexes cannot hold. Thrown where a document is read or indexed;
// those who know its task add that (batchwork.ts, batchdocuments.ts), and the write thread then runs the
// batch without the task (writethread.ts).
import { CoreExhausted } from "../../core/core.ts";
import { TarsierError } from "../../errors.ts";
import { formatSize } from "../../sizes.ts";

/** What there is too little of: room for words, which an option bounds, or memory of the core. */
type Shortage = keyof typeof REASONS;

const REASONS = {
  words: "its words and values need more memory than `--max-indexing-memory` allows",
  memory: "to index it takes more than the core has, which is 4 GiB less what `--max-indexing-memory` keeps",
};

export class LargeDocument extends Error {
  readonly shortage: Shortage;
  /** Its number, unless it has none yet. */
  readonly docid: number | null;
  readonly #bytes: number;
  documentId: string | null = null;
  /** The tasks that brought it, those that brought most of it first; none: it was in the index before. */
  taskUids: readonly number[] = [];

  constructor(shortage: Shortage, bytes: number, docid: number | null = null) {
    super(`a document of ${bytes} bytes is too large: ${REASONS[shortage]}`);
    this.shortage = shortage;
    this.docid = docid;
    this.#bytes = bytes;
  }

  /** Adds who brought it. */
  of(taskUids: Iterable<number>): this {
    this.taskUids = [...taskUids];
    return this;
  }

  named(documentId: string): this {
    this.documentId = documentId;
    return this;
  }

  /** What its task fails with. */
  get refusal(): TarsierError {
    const size = formatSize(this.#bytes);
    const place =
      this.documentId === null ? `A document of ${size}` : `Document \`${this.documentId}\` of ${size}`;
    return new TarsierError("document_too_large", { place, reason: REASONS[this.shortage] });
  }
}

/**
 * Does something that takes memory for a document. Its size may be a function, which is called only where the
 * core has no more memory.
 * @throws LargeDocument where it has no more
 */
export function forDocument<T>(bytes: number | (() => number), docid: number | null, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CoreExhausted)) throw error;
    throw new LargeDocument("memory", typeof bytes === "number" ? bytes : bytes(), docid);
  }
}
