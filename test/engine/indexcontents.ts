// Everything that the segments of an index say, read back list by list; and the same made by plain code from
// the documents.
import { Core } from "../../src/core/core.ts";
import { printedNumber } from "../../src/core/jsonnumbers.ts";
import { Tokenizer } from "../../src/core/tokenizer.ts";
import { IndexReader, type OpenSegment, type ReaderShare } from "../../src/engine/reader.ts";
import { openReaderShare } from "../../src/engine/searchthread.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { invert } from "../twins/inverter.ts";
import { twinLeaves } from "../twins/json.ts";
import { decodePositions, type Posting } from "../twins/postings.ts";
import type { IndexModel } from "./model.ts";

/** Postings by term; the bytes of a term are the characters of a latin-1 string. */
export type Lists = Map<string, Posting[]>;

const CACHE_BYTES = 4 * 1024 * 1024;
const SCRATCH_BYTES = 16 * 1024 * 1024;

let share: ReaderShare | null = null;

/** The lists of the living documents over all segments, ascending by docid. */
export function readLists(
  storage: Storage,
  folder: string,
  version: number,
): { lists: Lists; fields: string[] } {
  share = { ...(share ?? openReaderShare(storage, CACHE_BYTES, SCRATCH_BYTES)), storage };
  const reader = new IndexReader(share, folder);
  reader.refresh(version);
  const lists: Lists = new Map();
  for (const open of reader.segments) {
    for (let ordinal = 0; ordinal < open.segment.meta.terms; ordinal++) {
      share.cache.beginTurn();
      share.scratch.reset();
      const { term, postings } = readTerm(reader, open, ordinal);
      const living = postings.filter(({ docid }) => reader.livesIn(open, docid));
      if (living.length > 0) lists.set(term, [...(lists.get(term) ?? []), ...living]);
    }
  }
  for (const postings of lists.values()) postings.sort((a, b) => a.docid - b.docid);
  const { fields } = reader.state;
  reader.close();
  return { lists, fields };
}

function readTerm(
  reader: IndexReader,
  { segment }: OpenSegment,
  ordinal: number,
): { term: string; postings: Posting[] } {
  const { core, scratch } = reader.share;
  const text = scratch.alloc(512);
  const length = core.exports.dictionaryTerm(segment.load("terms"), ordinal, text);
  const term = Buffer.from(core.read(text, length)).toString("latin1");
  const list = segment.postings(ordinal);
  const places = segment.positions(ordinal);
  const count = core.exports.postingsCount(list.pointer, list.length);
  const docids = scratch.alloc(count * 4 + 1024) / 4;
  const decoded = core.exports.postingsDecode(list.pointer, list.length, docids * 4, count);
  const keys = decodePositions(core.read(places.pointer, places.length));
  if (decoded !== count || keys.length !== count) {
    throw new Error(`term ${JSON.stringify(term)} does not decode`);
  }
  const postings = keys.map((own, i) => ({ docid: core.u32[docids + i], keys: own }));
  return { term, postings };
}

const tokenizer = new Tokenizer(new Core());

/** The same lists as they follow from the documents. `fields`: names by number. */
export function expectedLists(model: IndexModel, fields: readonly string[]): Lists {
  tokenizer.configure(model.settings);
  const { searchableAttributes } = model.settings;
  const fieldOf = (name: string): number => {
    const isBelow = (entry: string) => name === entry || name.startsWith(`${entry}.`);
    const isSearchable = searchableAttributes.includes("*")
      ? !isBelow("_vectors")
      : searchableAttributes.some(isBelow);
    return isSearchable ? fields.indexOf(name) : -1;
  };
  const documents = model.docids.map((docid) => {
    const members = [...model.documents.get(docid)!.document];
    const text = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
    const leaves = twinLeaves(text, fieldOf, printedNumber);
    return {
      docid,
      leaves: leaves.map(({ field, text }) => ({ field, tokens: text ? tokenizer.tokenize(text) : [] })),
    };
  });
  return invert(documents);
}
