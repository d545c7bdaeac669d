// Merges a column of several segments into one: finds the values that still have a document, writes their
// dictionary, and the entries from which column-writer.ts makes the rest. Called by
// src/segment/columnmerge.ts.
//
//   places   for each document of a source its ordinal in the new segment, 0xffffffff when it is deleted
//   used     bitmap of the codes of a source that a live document has
//   map      for each code of a source its code in the new segment
//   source   | u32 dictionary cursor | u32 used | u32 map |
//   facts    | u32 numbers | u32 texts | u32 kinds without values |       as in values-columns.ts
import { bitsRead } from "./column-bits";
import { ColumnView, codesEnd } from "./column-view";
import {
  dictionaryCursorLength,
  dictionaryCursorNext,
  dictionaryCursorOrdinal,
  dictionaryCursorTerm,
} from "./dictionary-cursor";
import { dictionaryCompare } from "./dictionary";
import { dictionaryWriterAdd } from "./dictionary-writer";
import { KIND_BARE, KIND_NUMBER, KIND_TEXT } from "./values";

const DEAD: u32 = 0xffffffff;
const SOURCE_BYTES: usize = 12;

/** Sets the bits of the codes that live documents have, in a bitmap that also has a bit for none. */
export function columnUsed(column: usize, places: usize, used: usize): void {
  const view = changetype<ColumnView>(column);
  let at: u32 = 0;
  for (let ordinal: u32 = 0; ordinal < view.documents; ordinal++, places += 4) {
    const end = codesEnd(view, ordinal);
    const isDead = load<u32>(places) == DEAD;
    for (; at < end; at++) {
      if (isDead) continue;
      const code = bitsRead(view.codes, at, view.width);
      const byte = used + <usize>(code >> 3);
      store<u8>(byte, <u32>load<u8>(byte) | (1 << (code & 7)));
    }
  }
}

/**
 * Unites the used terms of the sources, whose cursors are at their first terms, into a dictionary; fills
 * their maps and the facts. Returns the number of terms, or the negative result of the writer.
 */
export function columnUnite(sources: usize, count: i32, writer: usize, facts: usize): i32 {
  const end = sources + <usize>count * SOURCE_BYTES;
  memory.fill(facts, 0, 12);
  for (let source = sources; source < end; source += SOURCE_BYTES) skipUnused(source);
  let code = 0;
  for (let least = leastSource(sources, end); least; least = leastSource(sources, end)) {
    const term = dictionaryCursorTerm(<usize>load<u32>(least));
    const error = dictionaryWriterAdd(writer, term, lengthAt(least));
    if (error < 0) return error;
    countKind(load<u8>(term), facts);
    // The least source itself moves last, since the others are compared with it.
    for (let source = sources; source < end; source += SOURCE_BYTES) {
      if (source != least && compare(source, least) == 0) take(source, code);
    }
    take(least, code++);
  }
  return code;
}

/** Writes the entries of the live documents to `out`; returns how many. */
export function columnEntries(column: usize, places: usize, none: u32, map: usize, out: usize): i32 {
  const view = changetype<ColumnView>(column);
  const from = out;
  let at: u32 = 0;
  for (let ordinal: u32 = 0; ordinal < view.documents; ordinal++, places += 4) {
    const end = codesEnd(view, ordinal);
    const place = load<u32>(places);
    for (; at < end; at++) {
      const code = bitsRead(view.codes, at, view.width);
      if (place == DEAD || code == none) continue;
      store<u32>(out, place);
      store<u32>(out, load<u32>(map + (<usize>code << 2)), 4);
      out += 8;
    }
  }
  return <i32>((out - from) >> 3);
}

/** The source with the least current term, 0 when all have ended. */
function leastSource(sources: usize, end: usize): usize {
  let least: usize = 0;
  for (let source = sources; source < end; source += SOURCE_BYTES) {
    if (lengthAt(source) && (!least || compare(source, least) < 0)) least = source;
  }
  return least;
}

function take(source: usize, code: u32): void {
  const cursor = <usize>load<u32>(source);
  store<u32>(<usize>load<u32>(source, 8) + (<usize>dictionaryCursorOrdinal(cursor) << 2), code);
  dictionaryCursorNext(cursor);
  skipUnused(source);
}

function skipUnused(source: usize): void {
  const cursor = <usize>load<u32>(source);
  const used = <usize>load<u32>(source, 4);
  while (dictionaryCursorLength(cursor)) {
    const ordinal = <u32>dictionaryCursorOrdinal(cursor);
    if ((<u32>load<u8>(used + <usize>(ordinal >> 3)) >> (ordinal & 7)) & 1) return;
    dictionaryCursorNext(cursor);
  }
}

function countKind(kind: u32, facts: usize): void {
  if (kind == KIND_NUMBER) store<u32>(facts, load<u32>(facts) + 1);
  else if (kind == KIND_TEXT) store<u32>(facts, load<u32>(facts, 4) + 1, 4);
  else store<u32>(facts, load<u32>(facts, 8) | (1 << (kind - KIND_BARE)), 8);
}

function lengthAt(source: usize): i32 {
  return dictionaryCursorLength(<usize>load<u32>(source));
}

function compare(one: usize, other: usize): i32 {
  const a = <usize>load<u32>(one);
  const b = <usize>load<u32>(other);
  return dictionaryCompare(
    dictionaryCursorTerm(a),
    dictionaryCursorLength(a),
    dictionaryCursorTerm(b),
    dictionaryCursorLength(b),
  );
}
