// What one search is about: the index as the host has opened it, the fields that count, the nodes of the
// query. Called by index.ts and src/engine/search/searchcore.ts; read by the files of this folder. A core
// runs one search at a time.
import { bitmapOrInto } from "../bitmap";
import { alloc, allocRecord, allocZeroed, arenaOpen } from "./arena";
import { ItemNumber, itemNumbers, nodeNumber } from "./item-numbers";
import { Documents, Item, Node } from "./records";

/** Options of the setup. */
const EXACT_NUMBERS: u32 = 1;
const RESTRICTED: u32 = 2;
const BY_ATTRIBUTE: u32 = 4;

/** Flags of a field. */
const ALLOWED: u32 = 1;
const EXACT_ONLY: u32 = 2;

/**
 * What the host tells of an index. `segments`: for each u32 address of its dictionary and u32 bitmap of what
 * was deleted there, or 0. `fields`: for each i32 weight, u32 flags (1: the search looks here, 2: only exact
 * words count here). `marks`: u64 and u32 for each word of a bitmap, zero.
 */
@unmanaged
export class Setup {
  arena: usize;
  words: u32;
  live: usize;
  segments: usize;
  segmentCount: u32;
  marks: usize;
  fields: usize;
  fieldCount: u32;
  options: u32;
  weightMax: u32;
}

/** 64-bit words of every bitmap. */
export let bitmapWords: i32 = 0;
/** Bitmap of the documents that live. */
export let live: usize = 0;
export let segmentCount: i32 = 0;
let segments: usize = 0;
export let marks: usize = 0;
let fields: usize = 0;
export let fieldCount: i32 = 0;
/** Numbers tolerate no typos. */
let hasExactNumbers: bool = false;
/** Words are near when they share a field. */
export let isByAttribute: bool = false;
/** Largest weight of a field. */
export let weightMax: u32 = 0;
/** All look-ups find a word wherever it occurs. */
export let isEverywhere: bool = false;
/** Bits of the fields that count for words of the query, and for derived ones; 0: all. */
export let ownFields: usize = 0;
export let derivedFields: usize = 0;
/** Of those where typos are tolerated, whether the search looks there or not; 0: all. */
export let tolerantFields: usize = 0;
/** A byte per field: 1 where the search looks. */
export let fieldFlags: usize = 0;
/** Derived numbers count nowhere. */
export let skipsNumbers: bool = false;
/** Documents that rules leave out of the buckets to come; 0: none. */
export let excluded: usize = 0;

let nodes: usize = 0;
export let nodeCount: i32 = 0;
/** Terms of the query. */
export let termCount: i32 = 0;
let items: usize = 0;

/** More terms than the host lets a query have. */
const PATH_ITEMS_MAX: i32 = 16;

/** Begins a search. */
export function contextBegin(at: usize): void {
  const setup = changetype<Setup>(at);
  arenaOpen(setup.arena);
  bitmapWords = setup.words;
  live = setup.live;
  segments = setup.segments;
  segmentCount = setup.segmentCount;
  marks = setup.marks;
  fields = setup.fields;
  fieldCount = setup.fieldCount;
  weightMax = setup.weightMax;
  hasExactNumbers = (setup.options & EXACT_NUMBERS) != 0;
  isByAttribute = (setup.options & BY_ATTRIBUTE) != 0;
  skipsNumbers = hasExactNumbers && !(setup.options & RESTRICTED);
  excluded = 0;
  nodeCount = 0;
  readFields();
}

/** Names the nodes of the query, one Node behind the other, and the number of its terms. */
export function searchNodes(at: usize, count: i32, terms: i32): void {
  if (terms > PATH_ITEMS_MAX) unreachable();
  nodes = at;
  nodeCount = count;
  termCount = terms;
  items = allocRecord(<usize>itemNumbers(count) * offsetof<Item>());
}

/** Names the documents that are left out from now on. */
export function searchExclude(bitmap: usize): void {
  excluded = bitmap;
}

export function nodeAt(index: i32): Node {
  return changetype<Node>(nodes + <usize>index * offsetof<Node>());
}

export function nodeOf(item: ItemNumber): Node {
  return nodeAt(nodeNumber(item));
}

export function itemOf(item: ItemNumber): Item {
  return changetype<Item>(items + <usize>item * offsetof<Item>());
}

export function dictionaryOf(segment: i32): usize {
  return load<u32>(segments + ((<usize>segment) << 3));
}

export function tombstonesOf(segment: i32): usize {
  return load<u32>(segments + ((<usize>segment) << 3), 4);
}

export function weightOf(field: i32): i32 {
  return load<i32>(fields + ((<usize>field) << 3));
}

export function isAllowed(field: i32): bool {
  return (load<u32>(fields + ((<usize>field) << 3), 4) & ALLOWED) != 0;
}

function isExact(field: i32): bool {
  return (load<u32>(fields + ((<usize>field) << 3), 4) & EXACT_ONLY) != 0;
}

/** An empty bitmap. */
export function newBitmap(): usize {
  return allocZeroed((<usize>bitmapWords) << 3);
}

/** A bitmap of undefined contents. */
export function bitmapRoom(): usize {
  return alloc((<usize>bitmapWords) << 3);
}

export function copyBitmap(bitmap: usize): usize {
  const copy = bitmapRoom();
  memory.copy(copy, bitmap, (<usize>bitmapWords) << 3);
  return copy;
}

/** A bitmap of what is in either; one of them where the other is 0. */
export function unionOf(a: usize, b: usize): usize {
  if (!a || !b) return a | b;
  const union = bitmapRoom();
  bitmapOrInto(union, a, b, bitmapWords);
  return union;
}

export function newDocuments(count: u32, list: usize, bitmap: usize): Documents {
  const documents = changetype<Documents>(allocRecord(offsetof<Documents>()));
  documents.count = count;
  documents.list = list;
  documents.bitmap = bitmap;
  return documents;
}

function readFields(): void {
  const bytes = ((<usize>fieldCount + 7) >> 3) + 8;
  let all = true;
  let tolerant = true;
  fieldFlags = allocZeroed(<usize>fieldCount + 1);
  for (let field = 0; field < fieldCount; field++) {
    store<u8>(fieldFlags + <usize>field, u8(isAllowed(field)));
    if (!isAllowed(field)) all = false;
    if (isExact(field)) tolerant = false;
  }
  isEverywhere = all && tolerant && !hasExactNumbers;
  ownFields = all ? 0 : allocZeroed(bytes);
  derivedFields = all && tolerant ? 0 : allocZeroed(bytes);
  tolerantFields = tolerant ? 0 : allocZeroed(bytes);
  for (let field = 0; field < fieldCount; field++) {
    const byte = <usize>field >> 3;
    const bit = 1 << (field & 7);
    if (!all && isAllowed(field)) setBit(ownFields + byte, bit);
    if (!(all && tolerant) && isAllowed(field) && !isExact(field)) setBit(derivedFields + byte, bit);
    if (!tolerant && !isExact(field)) setBit(tolerantFields + byte, bit);
  }
}

function setBit(at: usize, bit: i32): void {
  store<u8>(at, load<u8>(at) | <u8>bit);
}
