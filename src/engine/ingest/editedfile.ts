// The documents that a function has edited, as a payload like any other (NDJSON) in the folder of the index,
// which exists while the batch runs. Called by batchdocuments.ts.
import { EDITED_DOCUMENTS_NAME } from "../../segment/manifestfiles.ts";
import { join, type Storage, type WritableFile } from "../../storage/storage.ts";

const PIECE_BYTES = 2 ** 20;
const LINE_FEED = Buffer.from("\n");

export class EditedFile {
  readonly #storage: Storage;
  readonly #name: string;
  readonly #file: WritableFile;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;

  constructor(storage: Storage, folder: string) {
    this.#storage = storage;
    this.#name = join(folder, EDITED_DOCUMENTS_NAME);
    this.#file = storage.create(this.#name);
  }

  get size(): number {
    return this.#file.size + this.#waitingBytes;
  }

  append(document: Uint8Array): void {
    this.#waiting.push(document, LINE_FEED);
    this.#waitingBytes += document.length + 1;
    if (this.#waitingBytes >= PIECE_BYTES) this.#write();
  }

  /** Finishes writing; returns the name of the file, which need not survive a crash. */
  seal(): string {
    this.#write();
    return this.#name;
  }

  remove(): void {
    this.#file.close();
    this.#storage.remove(this.#name);
  }

  #write(): void {
    this.#file.append(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}
