// Walks over a range of a dictionary as if it were a trie and reports the words near a query. The states of
// the automaton (fuzzy-automaton.ts) after each letter of the current word are kept on a stack, so a word
// costs only the letters that it does not share with the previous one. A verdict reached on the beginning of
// a word (`verdictFrom` bytes) holds for all words with this beginning; they are passed over by their heads
// alone, whole blocks of them by galloping:
//
//   verdict 0         rejected: no word with this beginning is near
//   verdict 1, 2, 3   class of every word with this beginning (prefix look-ups), or of this word alone
//
//   region of a walk
//   0                 64               1152          2240              2304
//   | FuzzyWalk       | word last read | target      | tail offsets    | states: u64 for each byte of word |
import { dictionaryCompare } from "./dictionary";
import {
  BLOCK_TERMS,
  blockAddress,
  blockTails,
  blockTerms,
  commonBytes,
  copyBytes,
  DAMAGED_TERM_ROOM_BYTES,
  firstBytes,
  firstTerm,
  sharedBytes,
  tailAddress,
  tailBytes,
} from "./dictionary-format";
import { FUZZY_START, NO_LETTER, nextLetter, stateAfter, stateAlive, stateDistance } from "./fuzzy-automaton";
import { candidates, layTails, OFFSETS_BYTES, tailOfSlot } from "./fuzzy-blocks";
import { leadByte, letterAt, letterBytes, writeLetter } from "./fuzzy-letters";
import { BEGINNING_BYTES, planesBeginning, planesNear } from "./fuzzy-planes";

const REJECTED: i32 = 0;
/** Planes are useful when at least this many letters of a word may be read without a verdict. */
const READ_MIN: i32 = 3;
/** The verdict concerns one word only. */
const NOWHERE: i32 = i32.MAX_VALUE;
const RESULT_BYTES: usize = 8;

/** A look-up: what is searched for, where results go, and what is known about the word read last. */
@unmanaged
export class FuzzyWalk {
  dictionary: usize;
  /** Its planes (fuzzy-planes.ts); 0 when there are none. */
  planes: usize;
  /** Code points of the query, u32 each, padded; below, their number. */
  letters: usize;
  count: i32;
  prefix: i32;
  /** Typos allowed in this range; below, the class of a word with one typo. */
  budget: i32;
  classOfOne: i32;
  /** Where the next result goes; below, the end of the room for results. */
  out: usize;
  outEnd: usize;
  verdict: i32;
  verdictFrom: i32;
  /** Bytes of the word read last. */
  length: i32;
  /**
   * After a rejection: words that share `nextFrom` bytes can only be near with this next letter or a later
   * one.
   */
  nextFrom: i32;
  nextLetter: u32;
  nextByte: u32;
}
const WORD: usize = 64;
const TARGET: usize = WORD + <usize>DAMAGED_TERM_ROOM_BYTES;
const OFFSETS: usize = TARGET + <usize>DAMAGED_TERM_ROOM_BYTES;
const STATES: usize = OFFSETS + OFFSETS_BYTES;

/** Bytes of the region of a walk. */
export const FUZZY_WALK_BYTES: usize = STATES + ((<usize>DAMAGED_TERM_ROOM_BYTES) << 3);

/** Reports the words with ordinals from `start` up to `end`, until the room for results is used up. */
export function walkRange(walk: FuzzyWalk, start: i32, end: i32): void {
  if (start >= end) return;
  const word = begin(walk);
  const last = (end - 1) / BLOCK_TERMS;
  let number = start / BLOCK_TERMS;
  while (number <= last && walk.out < walk.outEnd) {
    const block = blockAddress(walk.dictionary, number);
    const first = firstTerm(block);
    const bytes = firstBytes(block);
    const shared = commonBytes(word, first, min(bytes, min(walk.length, walk.verdictFrom)));
    if (shared < walk.verdictFrom) judgeTail(walk, shared, first + shared, bytes - shared);
    const terms = layBlock(walk, number);
    walkSlots(walk, number, 0, min(terms, end - number * BLOCK_TERMS), start);
    const isRejected = walk.verdict == REJECTED && walk.verdictFrom < NOWHERE;
    number = isRejected ? blockBehind(walk, number, last) : number + 1;
  }
}

/**
 * The same for the words from `first` up to `end`, which begin with the first letter of the query, an ASCII
 * one; reports those from `start` on. Only reads words that may be near according to the planes.
 */
export function walkPlanes(walk: FuzzyWalk, first: i32, start: i32, end: i32): void {
  if (start >= end) return;
  const read = min(BEGINNING_BYTES, walk.count - walk.budget);
  if (walk.planes == 0 || read < READ_MIN) {
    walkRange(walk, start, end);
    return;
  }
  begin(walk);
  const letters = walk.letters;
  const state = stateAfter(FUZZY_START, letters, load<u32>(letters));
  const last = (end - 1) / BLOCK_TERMS;
  for (let number = start / BLOCK_TERMS; number <= last && walk.out < walk.outEnd; number++) {
    const ordinal = number * BLOCK_TERMS;
    let near = planesNear(walk.dictionary, walk.planes, number, letters, state, walk.budget, read);
    // Not cut at `start`: the first word of a run is needed even if it is not reported.
    near = cut(near, max(0, first - ordinal), min(BLOCK_TERMS, end - ordinal));
    if (near != 0) walkNear(walk, number, near, start);
  }
}

/** Reports words of a block; those with a bit set may be near. */
function walkNear(walk: FuzzyWalk, number: i32, near: u32, start: i32): void {
  layBlock(walk, number);
  while (near != 0) {
    const slot = <i32>ctz(near);
    // Words with the same beginning are equally near, so only the first word of a run has its beginning to
    // itself.
    const end = slot + <i32>ctz(~(near >> slot));
    judgeNear(walk, number, slot);
    walkSlots(walk, number, slot, end, start);
    near = cut(near, end, BLOCK_TERMS);
  }
}

/** The bits from `from` up to `to`. */
function cut(bits: u32, from: i32, to: i32): u32 {
  return <u32>((<u64>bits >> from) << from) & (<u32>-1 >> (BLOCK_TERMS - to));
}

/** Forgets the words read before. Returns where the next one is assembled. */
function begin(walk: FuzzyWalk): usize {
  walk.verdict = REJECTED;
  walk.verdictFrom = NOWHERE;
  walk.nextFrom = NOWHERE;
  walk.length = 0;
  store<u64>(changetype<usize>(walk) + STATES, FUZZY_START);
  return changetype<usize>(walk) + WORD;
}

/** Notes where the tails of a block are. Returns the number of its terms. */
function layBlock(walk: FuzzyWalk, number: i32): i32 {
  const terms = blockTerms(walk.dictionary, number);
  layTails(blockAddress(walk.dictionary, number), terms, changetype<usize>(walk) + OFFSETS);
  return terms;
}

/** Reports the words of the slots from `slot`, which has already been judged, up to `end`. */
function walkSlots(walk: FuzzyWalk, number: i32, slot: i32, end: i32, start: i32): void {
  const first = number * BLOCK_TERMS;
  const block = blockAddress(walk.dictionary, number);
  const tails = blockTails(block);
  const offsets = changetype<usize>(walk) + OFFSETS;
  while (true) {
    const rest = <u32>((<u64>candidates(block, walk.verdictFrom) >> (slot + 1)) << (slot + 1));
    const next = rest == 0 ? end : min(end, <i32>ctz(rest));
    if (walk.verdict != REJECTED) report(walk, max(first + slot, start), first + next);
    if (next == end) return;
    slot = next;
    const head: u32 = load<u8>(block + slot);
    const at = tailOfSlot(tails, slot, offsets);
    const shared = sharedBytes(head, at);
    const tail = tailAddress(head, at);
    if (shared == walk.nextFrom && <u32>load<u8>(tail) < walk.nextByte) walk.verdictFrom = shared + 1;
    else if (shared < walk.verdictFrom) judgeTail(walk, shared, tail, tailBytes(head, at));
  }
}

/** Reports ordinals from `from` up to `to` with the current verdict, as far as there is room. */
function report(walk: FuzzyWalk, from: i32, to: i32): void {
  let out = walk.out;
  for (; from < to && out < walk.outEnd; from++, out += RESULT_BYTES) {
    store<u32>(out, from);
    store<u32>(out, walk.verdict, 4);
  }
  walk.out = out;
}

/** Judges the word of a slot that shares fewer than BEGINNING_BYTES with the previous one. */
function judgeNear(walk: FuzzyWalk, number: i32, slot: i32): void {
  const block = blockAddress(walk.dictionary, number);
  let shared = 0;
  let tail = firstTerm(block);
  let bytes = firstBytes(block);
  if (slot > 0) {
    const head: u32 = load<u8>(block + slot);
    const at = tailOfSlot(tail + bytes, slot, changetype<usize>(walk) + OFFSETS);
    shared = sharedBytes(head, at);
    tail = tailAddress(head, at);
    bytes = tailBytes(head, at);
  }
  const word = changetype<usize>(walk) + WORD;
  const length = shared + bytes;
  const ordinal = number * BLOCK_TERMS + slot;
  const beginning = planesBeginning(walk.dictionary, walk.planes, ordinal) | <u64>load<u32>(walk.letters);
  const common = min(<i32>(ctz(load<u64>(word) ^ beginning) >> 3), min(walk.length, length));
  if (common >= walk.verdictFrom) return;
  store<u64>(word, beginning);
  copyBytes(word + shared, tail, bytes);
  judge(walk, common, length);
}

/** Judges the word that shares `shared` bytes with the previous one, followed by `tail`. */
function judgeTail(walk: FuzzyWalk, shared: i32, tail: usize, bytes: i32): void {
  copyBytes(changetype<usize>(walk) + WORD + shared, tail, bytes);
  judge(walk, shared, shared + bytes);
}

/** Reads the assembled word of `length` bytes, from byte `shared` on, until it can be judged. */
function judge(walk: FuzzyWalk, shared: i32, length: i32): void {
  const word = changetype<usize>(walk) + WORD;
  const states = changetype<usize>(walk) + STATES;
  const count = walk.count;
  const budget = walk.budget;
  walk.length = length;
  walk.nextFrom = NOWHERE;
  // Back to the start of the letter in which the words differ.
  let at = shared;
  while (at > 0 && (<u32>load<u8>(word + at) & 0xc0) == 0x80) at--;
  let state = load<u64>(states + ((<usize>at) << 3));
  while (at < length) {
    const before = state;
    const letter = letterAt(word + at);
    const start = at;
    at += letterBytes(letter);
    state = stateAfter(before, walk.letters, letter);
    store<u64>(states + ((<usize>at) << 3), state);
    if (stateAlive(state, count, budget) == 0) {
      reject(walk, before, letter, start, at);
      return;
    }
    if (!walk.prefix) continue;
    const distance = stateDistance(state, count);
    if (distance <= budget && (distance == 0 || stateAlive(state, count, distance - 1) == 0)) {
      walk.verdict = classOf(walk, distance);
      walk.verdictFrom = at;
      return;
    }
  }
  walk.verdict = classOf(walk, stateDistance(state, count));
  walk.verdictFrom = NOWHERE;
}

/**
 * Records that `letter`, which is at bytes `start` to `end` of the word, leads nowhere. When all typos are
 * used up, only letters of the query can follow: then words that continue with a letter above these are
 * rejected as well.
 */
function reject(walk: FuzzyWalk, before: u64, letter: u32, start: i32, end: i32): void {
  walk.verdict = REJECTED;
  walk.verdictFrom = end;
  if (stateAlive(before, walk.count, walk.budget - 1) != 0) return;
  const next = nextLetter(before, walk.letters, walk.budget, letter);
  if (next == NO_LETTER) {
    walk.verdictFrom = start;
  } else {
    walk.nextFrom = start;
    walk.nextLetter = next;
    walk.nextByte = leadByte(next);
  }
}

/** Class of a distance; 0 for the query itself and for words out of reach. */
function classOf(walk: FuzzyWalk, distance: i32): i32 {
  if (distance == 0 || distance > walk.budget) return REJECTED;
  return distance == 1 ? walk.classOfOne : distance;
}

/**
 * The next block after `number` in which a word may be near. All words from the rejected one up to the
 * target, which is the least string that is not ruled out, are passed over: gallops to the last block that
 * begins before the target.
 */
function blockBehind(walk: FuzzyWalk, number: i32, last: i32): i32 {
  if (walk.verdictFrom == 0) return last + 1;
  const bytes = layTarget(walk);
  let step = 1;
  let low = number;
  while (low + step <= last && beginsBefore(walk, low + step, bytes)) {
    low += step;
    step <<= 1;
  }
  let high = min(low + step, last + 1);
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (beginsBefore(walk, middle, bytes)) low = middle;
    else high = middle;
  }
  return max(low, number + 1);
}

/**
 * Writes the target: up to the next letter, or past everything with the rejected beginning; returns its
 * bytes.
 */
function layTarget(walk: FuzzyWalk): i32 {
  const word = changetype<usize>(walk) + WORD;
  const target = changetype<usize>(walk) + TARGET;
  if (walk.nextFrom < NOWHERE) {
    copyBytes(target, word, walk.nextFrom);
    return walk.nextFrom + writeLetter(target + walk.nextFrom, walk.nextLetter);
  }
  const bytes = walk.verdictFrom;
  copyBytes(target, word, bytes);
  // No byte of UTF-8 is 255.
  store<u8>(target + bytes - 1, <u32>load<u8>(target + bytes - 1) + 1);
  return bytes;
}

function beginsBefore(walk: FuzzyWalk, number: i32, bytes: i32): bool {
  const block = blockAddress(walk.dictionary, number);
  const target = changetype<usize>(walk) + TARGET;
  return dictionaryCompare(firstTerm(block), firstBytes(block), target, bytes) < 0;
}
