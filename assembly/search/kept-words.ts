// Documents of frequent words, kept in the thread from one search to the next: unpacking a posting list of
// hundreds of thousands of documents takes longer than most searches. Called by words.ts.
//
//   room    | u32 bytes used, these included | u32 entries | entry | entry | ... | free |
//   entry   | u32 state | u32 bytes | u32 term of each segment, NO_TERM for none | padding to 8 | bitmap |
//
// `state` names the segments and tombstones of an index that the entry is about; in each segment a word is
// one term. Searches keep addresses into the room, so it is only emptied between them: all at once, when it
// is nearly full. Entries of old states stay until then; they are few, as are all entries.
import { alloc, arenaMark, arenaRelease } from "./arena";
import { bitmapWords, segmentCount } from "./context";
import { partDocuments, partOf } from "./parts";
import { Ranges } from "./records";
import { Setup } from "./setup";

const HEAD_BYTES: usize = 8;
const NO_TERM: u32 = u32.MAX_VALUE;
/** A word is frequent when it has this many documents, and (below) this many per word of a bitmap. */
const FREQUENT_MIN: i32 = 1024;
const FREQUENT_RATIO: i32 = 2;
/**
 * The room is emptied when it has no place for this many further words; a room smaller than that is of no
 * use.
 */
const FREE_MIN: usize = 4;
const ENTRIES_MAX: u32 = 128;

let room: usize = 0;
let roomBytes: usize = 0;
let state: u32 = 0;

/** Begins a search. */
export function keptWordsBegin(setup: Setup): void {
  room = setup.kept;
  roomBytes = setup.keptBytes;
  state = setup.state;
  if (!isUseful()) return;
  const isNew = load<u32>(room) == 0;
  const hasRoom = usedBytes() + FREE_MIN * entryBytes() <= roomBytes;
  if (!isNew && hasRoom && entryCount() + <u32>FREE_MIN <= ENTRIES_MAX) return;
  store<u32>(room, <u32>HEAD_BYTES);
  store<u32>(room, 0, 4);
}

/** Bitmap of the documents of a word; 0 when they are not kept. */
export function keptDocuments(word: Ranges): usize {
  if (!isUseful()) return 0;
  const mark = arenaMark();
  const head = alloc(headBytes());
  writeHead(head, word);
  arenaRelease(mark);
  const end = room + usedBytes();
  for (let entry = room + HEAD_BYTES; entry < end; entry += <usize>load<u32>(entry, 4)) {
    if (!memory.compare(entry, head, headBytes())) return entry + headBytes();
  }
  return 0;
}

/** True when the documents of a word should be kept. */
export function isFrequent(word: Ranges): bool {
  if (!isUseful()) return false;
  let documents = 0;
  for (let segment = 0; segment < segmentCount; segment++) {
    const part = partOf(word, segment);
    if (part.from < part.to) documents += partDocuments(part, segment);
  }
  return documents >= max(FREQUENT_MIN, bitmapWords * FREQUENT_RATIO);
}

/** Keeps the documents of a word, if there is room. */
export function keepDocuments(word: Ranges, documents: usize): void {
  const entry = room + usedBytes();
  if (usedBytes() + entryBytes() > roomBytes || entryCount() == ENTRIES_MAX) return;
  writeHead(entry, word);
  memory.copy(entry + headBytes(), documents, (<usize>bitmapWords) << 3);
  store<u32>(room, <u32>(usedBytes() + entryBytes()));
  store<u32>(room, entryCount() + 1, 4);
}

function writeHead(at: usize, word: Ranges): void {
  memory.fill(at, 0, headBytes());
  store<u32>(at, state);
  store<u32>(at, <u32>entryBytes(), 4);
  for (let segment = 0; segment < segmentCount; segment++) {
    const part = partOf(word, segment);
    store<u32>(at + 8 + ((<usize>segment) << 2), part.from < part.to ? part.from : NO_TERM);
  }
}

/** Is the room large enough for the current index? */
function isUseful(): bool {
  return HEAD_BYTES + FREE_MIN * entryBytes() <= roomBytes;
}

function usedBytes(): usize {
  return <usize>load<u32>(room);
}

function entryCount(): u32 {
  return load<u32>(room, 4);
}

function headBytes(): usize {
  return (8 + ((<usize>segmentCount) << 2) + 7) & ~7;
}

function entryBytes(): usize {
  return headBytes() + ((<usize>bitmapWords) << 3);
}
