// Reads files of an unpacked dump with bounded memory: small ones whole, others line by line. Called by the
// readers of the versions.
import { piecesOf } from "../../storage/filepieces.ts";
import { join } from "../../storage/storage.ts";
import { objectOf } from "./put.ts";
import type { DumpFiles } from "./unpackedfiles.ts";

/** Bound of a line of a queue, or of a file that is read whole. */
const TEXT_BYTES_MAX = 256 * 2 ** 20;
const LINE_FEED = 10;

/** @throws RangeError if it is very large, StorageError if it is missing */
export function readWhole(files: DumpFiles, name: string): string {
  const file = files.open(name);
  try {
    if (file.size > TEXT_BYTES_MAX) throw new RangeError(`\`${name}\` has ${file.size} bytes`);
    const bytes = new Uint8Array(file.size);
    file.readInto(bytes, 0);
    return textOf(bytes);
  } finally {
    file.close();
  }
}

/** The objects of a file with one per line; none if the file is missing. */
export function readJsonLinesIfAny<Value>(files: DumpFiles, name: string): Iterable<Value> {
  return files.exists(name) ? readJsonLines(files, name) : [];
}

/**
 * The objects of a file with one per line. Empty lines are skipped.
 * @throws StorageError when it is missing
 */
export function* readJsonLines<Value>(files: DumpFiles, name: string): Generator<Value> {
  for (const line of readTextLines(files, name))
    if (line.trim() !== "") yield objectOf(JSON.parse(line)) as Value;
}

function* readTextLines(files: DumpFiles, name: string): Generator<string> {
  const file = files.open(name);
  try {
    let rest: Uint8Array[] = [];
    let restBytes = 0;
    for (const piece of piecesOf(file, file.size)) {
      let start = 0;
      for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
        yield textOf(Buffer.concat([...rest, piece.subarray(start, end)]));
        rest = [];
        restBytes = 0;
        start = end + 1;
      }
      rest.push(piece.subarray(start));
      restBytes += piece.length - start;
      if (restBytes > TEXT_BYTES_MAX)
        throw new RangeError(`a line of \`${name}\` is longer than ${TEXT_BYTES_MAX} bytes`);
    }
    yield textOf(Buffer.concat(rest));
  } finally {
    file.close();
  }
}

/**
 * Checks that every folder of an index is one that the dump names: `named` are those inside `folder`. Such a
 * folder is recognised by its file `mark`.
 * @throws TypeError
 */
export function checkFolders(
  files: DumpFiles,
  folder: string,
  named: Iterable<string>,
  mark = "meta.json",
): void {
  const known = new Set(named);
  const isIndex = (name: string) => files.exists(join(join(folder, name), mark));
  const unnamed = files.listFolders(folder).find((name) => !known.has(name) && isIndex(name));
  if (unnamed !== undefined) throw new TypeError(`it does not name the index in the folder \`${unnamed}\``);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** @throws TypeError for bytes that are not UTF-8 */
function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
