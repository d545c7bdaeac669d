// The progress of an import: on a terminal one line that is overwritten again and again, elsewhere only notes
// and the end.
import { formatSize } from "../sizes.ts";

const BAR_COLUMNS = 24;
const REDRAW_MS = 100;

/** The stream that progress is written to: process.stderr, or any other in tests. */
interface ProgressStream {
  isTTY?: boolean;
  write(text: string): unknown;
}

export class ProgressLine {
  readonly #stream: ProgressStream;
  readonly #totalBytes: number | null;
  readonly #startedAt = performance.now();
  #readBytes = 0;
  #documents = 0;
  #drawnAt = 0;
  #isDrawn = false;

  /** `totalBytes`: size of the file; null when nobody knows how much comes. */
  constructor(stream: ProgressStream, totalBytes: number | null) {
    this.#stream = stream;
    this.#totalBytes = totalBytes;
  }

  note(text: string): void {
    this.#clear();
    this.#stream.write(`${text}\n`);
  }

  /** Reports that so many more bytes were read. */
  read(bytes: number): void {
    this.#readBytes += bytes;
    this.#draw(this.#barText());
  }

  /** Reports the total number of acknowledged documents. */
  sent(documents: number): void {
    this.#documents = documents;
    this.#draw(this.#barText());
  }

  waiting(tasks: number): void {
    this.#draw(`${this.#barText()}, ${tasks} task${tasks === 1 ? "" : "s"} to go`);
  }

  /** Removes the line, or replaces it by a last text and the time it took. */
  end(text: string | null): void {
    this.#clear();
    if (text !== null) this.#stream.write(`${text} in ${this.#seconds().toFixed(1)} s\n`);
  }

  #barText(): string {
    const speed = rounded(this.#readBytes / this.#seconds());
    return `${this.#shareText()}  ${this.#documents.toLocaleString("en")} documents sent, ${speed}/s`;
  }

  #shareText(): string {
    if (this.#totalBytes === null) return `${rounded(this.#readBytes)} read`;
    const share = this.#totalBytes === 0 ? 1 : Math.min(1, this.#readBytes / this.#totalBytes);
    const bar = "=".repeat(Math.round(share * BAR_COLUMNS)).padEnd(BAR_COLUMNS);
    return `[${bar}]${`${Math.floor(share * 100)}%`.padStart(4)}`;
  }

  #draw(text: string): void {
    const now = performance.now();
    if (!this.#stream.isTTY || now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    this.#isDrawn = true;
    // Returns to the first column; what the new text does not cover is cleared.
    this.#stream.write(`\r${text}\x1b[K`);
  }

  #clear(): void {
    if (this.#isDrawn) this.#stream.write("\r\x1b[K");
    this.#isDrawn = false;
  }

  #seconds(): number {
    return Math.max(0.001, (performance.now() - this.#startedAt) / 1000);
  }
}

const rounded = (bytes: number): string => formatSize(Math.round(bytes / 1e5) * 1e5);
