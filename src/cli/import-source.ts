// What `tarsier import` reads: a file, or what another program sends through a pipe. Called by import.ts.
import { createReadStream, statSync } from "node:fs";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { PayloadFormat } from "../ingest/lines.ts";
import { UsageError } from "../usageerror.ts";

export interface ImportSource {
  /** As messages name it. */
  name: string;
  format: PayloadFormat;
  delimiter: string;
  /** Null for a pipe: it has no length, and what it gave is not to be had again. */
  file: ImportedFile | null;
  /** `read`: gets the number of bytes of each piece, before decompression. */
  open(read: (bytes: number) => void): Readable;
}

export interface ImportedFile {
  path: string;
  bytes: number;
  modifiedAt: number;
}

interface FormatOptions {
  format: string | null;
  csvDelimiter: string | null;
}

const STANDARD_INPUT = "-";
const PIECE_BYTES = 256 * 1024;

const FORMATS: Record<string, PayloadFormat> = {
  json: "json",
  ndjson: "ndjson",
  jsonl: "ndjson",
  csv: "csv",
  tsv: "csv",
};

const ENDINGS = Object.keys(FORMATS)
  .map((ending) => `.${ending}`)
  .join(", ");

/** `path`: `-` stands for the standard input. @throws UsageError */
export function importSource(path: string, options: FormatOptions): ImportSource {
  const isStandardInput = path === STANDARD_INPUT;
  const file = isStandardInput ? null : fileAt(path);
  const name = isStandardInput ? "standard input" : path;
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(path)?.[1].toLowerCase() ?? "";
  const named = options.format ?? ending;
  const format = Object.hasOwn(FORMATS, named) ? FORMATS[named] : undefined;
  if (format === undefined) {
    throw new UsageError(
      `${name}: the format is unknown; its name should end in ${ENDINGS} (and .gz), or say --format`,
    );
  }
  const delimiter = options.csvDelimiter ?? (ending === "tsv" ? "\t" : ",");
  if (!/^[\t\x20-\x7e]$/.test(delimiter)) throw new UsageError("--csv-delimiter takes one ASCII character");
  const open = (read: (bytes: number) => void) => {
    const content = isStandardInput ? process.stdin : createReadStream(path, { highWaterMark: PIECE_BYTES });
    content.on("data", (piece: Uint8Array) => read(piece.length));
    return /\.gz$/i.test(path) ? unzipped(content) : content;
  };
  return { name, format, delimiter, file, open };
}

/** Null for a pipe, such as a shell makes for `<(command)`. */
function fileAt(path: string): ImportedFile | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isDirectory()) throw new UsageError(`${path}: there is no such file`);
  return stats.isFile() ? { path, bytes: stats.size, modifiedAt: stats.mtimeMs } : null;
}

function unzipped(content: Readable): Readable {
  const gunzip = createGunzip();
  content.on("error", (error) => gunzip.destroy(error));
  gunzip.on("close", () => content.destroy());
  return content.pipe(gunzip);
}
