// The walk through one document that feeds the inverter with every value of a searchable field, as a leaf, in
// the order in which the fields are numbered; and the value table (json-values.ts) with each value as it is
// met. Run by src/segment/inverter.ts for each document of a batch; several walkers can exist side by side.
//
// Which leaves there are: a string, number or boolean is a leaf with text; null is one without. An object or
// array that is the value of a name below the top level is one without text, under its own name, before its
// content; an empty one, wherever it stands, is one without text. Everything else is only the path to its
// content: names joined by dots, array indexes left out. Leaves without text matter: each moves the position
// counter of its field.
//
// Region of a walker, of the size given to jsonWalkerReset:
//
//   0           4           8                12          16                 24
//   | bytes u32 | shape i32 | leaves end u32 | value u32 | sum of names u64 | longest u32 | point u32 |
//   | bytes of the point u32 | geometry u32 | bytes of the geometry u32 | 0 ... |             64 bytes
//   | locale u16 x 65536 |                                                                       131,072
//   | known paths (json-paths.ts) |                                                         PATHS_BYTES
//   | known shapes (json-shapes.ts) |                                                      SHAPES_BYTES
//   | frame x DEPTH_MAX: path i32, field i32, open bracket u32, column i32 |                      16 each
//   | leaves (json-leaves.ts) -> | as much again when they need ordering | or one unescaped string |
//
// `leaves end` and `value` are addresses: of the next leaf, and of the value that belongs to the name just
// read. `longest` is the length of the longest string with escapes; `point` and `geometry` are the
// addresses of the location and of the geometry that the document has, or 0.
import { double, number } from "./env";
import { textHash } from "./hash";
import { inverterBeginDocument, inverterEmptyLeaf, inverterEndDocument, inverterLeaf } from "./inverter";
import { FULL } from "./inverter-terms";
import { jsonUnescape } from "./json";
import {
  LEAF_BYTES,
  LEAF_EMPTY,
  LEAF_ESCAPED,
  LEAF_NUMBER,
  LEAF_TEXT,
  leafAddress,
  leafField,
  leafKind,
  leafLength,
  leafStore,
  leavesOrder,
} from "./json-leaves";
import { isPrinted } from "./json-numbers";
import {
  COLUMN_DEGREES,
  COLUMN_GEOMETRY,
  COLUMN_POINT,
  PATHS_BYTES,
  PATHS_FULL,
  pathColumn,
  pathField,
  pathOf,
  pathsReset,
} from "./json-paths";
import {
  BRACKET_FOLD,
  COMMA,
  JSON_DAMAGED,
  JSON_FULL,
  OBJECT_CLOSE,
  OBJECT_OPEN,
  QUOTE,
  blanksEnd,
  containerEnd,
  memberValue,
  scalarEnd,
  stringEnd,
  valueEnd,
} from "./json-scan";
import { SHAPES_BYTES, shapeOf, shapesReset } from "./json-shapes";
import { containerValue, scalarValue } from "./json-values";
import { valueNumber, valuesBegin, valuesKeep, valuesSettle } from "./values";

/** Most containers that may be nested in a document. */
const DEPTH_MAX: i32 = 1024;
/** Error: a document nests deeper than DEPTH_MAX. */
const JSON_TOO_DEEP: i32 = -103;
/** Error: a document has more distinct paths than the cache holds. */
const JSON_TOO_MANY_PATHS: i32 = -104;
/** Error: the host gave a field a number that is not a u16. */
const JSON_FIELD_NUMBER: i32 = -105;

/** Answer of the host for a path with nothing searchable below it either: its value is skipped as a whole. */
const FIELD_NONE_BELOW: i32 = -2;
const FIELDS_MAX: i32 = 65536;

const NULL: u32 = 0x6e;
/** Numbers begin with a minus or a digit, below all letters. */
const DIGIT_LAST: u32 = 0x39;

const LOCALES: usize = 64;
const PATHS: usize = LOCALES + 2 * <usize>FIELDS_MAX;
const SHAPES: usize = PATHS + PATHS_BYTES;
const FRAMES: usize = SHAPES + SHAPES_BYTES;
const FRAME_BYTES: usize = 16;
const ROOM: usize = FRAMES + <usize>DEPTH_MAX * FRAME_BYTES;
/** Room that is kept after the leaves: for one more of them, and for a number that the host prints. */
const MARGIN_BYTES: usize = 64;

/** Bytes of a region that suffices for every document of at most `length` bytes, below 2 GiB. */
export function jsonWalkerBytes(length: i32): i32 {
  // Two bytes can make a leaf, and leaves may be stored twice; after them comes one string, or the text of
  // one path.
  const bytes = <u64>ROOM + <u64>length * <u64>(LEAF_BYTES + 1) + <u64>MARGIN_BYTES;
  return <i32>min(bytes, <u64>i32.MAX_VALUE);
}

/**
 * Makes a region of `bytes` a walker that knows nothing, with all locales 0. False when no document fits into
 * it.
 */
export function jsonWalkerReset(walker: usize, bytes: i32): bool {
  if (<usize>bytes < ROOM + MARGIN_BYTES) return false;
  memory.fill(walker, 0, PATHS);
  store<i32>(walker, bytes);
  pathsReset(walker + PATHS);
  shapesReset(walker + SHAPES);
  return true;
}

/** Sets the locale that the inverter gets along with the texts of a field. */
export function jsonWalkerLocale(walker: usize, field: i32, locale: i32): void {
  if (<u32>field < <u32>FIELDS_MAX) store<u16>(walker + ((<usize>field) << 1), locale, LOCALES);
}

/** Shape number of the last document: the host's answer for its set of top-level names. */
export function jsonWalkerShape(walker: usize): i32 {
  return load<i32>(walker, 4);
}

/** Address of the JSON value of the last document's location, 0 when it has none. */
export function jsonWalkerPoint(walker: usize): usize {
  return <usize>load<u32>(walker, 28);
}

/** Its bytes. */
export function jsonWalkerPointBytes(walker: usize): i32 {
  return load<i32>(walker, 32);
}

/** The same for its geometry. */
export function jsonWalkerGeometry(walker: usize): usize {
  return <usize>load<u32>(walker, 36);
}

export function jsonWalkerGeometryBytes(walker: usize): i32 {
  return load<i32>(walker, 40);
}

/**
 * Feeds one document to the inverter, and to the value table at `values` (0: there are no columns). Returns
 * its number of leaves. Errors with nothing fed: JSON_DAMAGED (-101), JSON_FULL (-102: give the walker a
 * larger region, see jsonWalkerBytes), JSON_TOO_DEEP (-103), JSON_TOO_MANY_PATHS (-104), JSON_FIELD_NUMBER
 * (-105). Or the inverter's result when that is negative; -1 also when the value table is full.
 */
export function jsonDocument(
  walker: usize,
  inverter: usize,
  values: usize,
  tokenizer: usize,
  docid: i32,
  json: usize,
  length: i32,
): i32 {
  const paths = walker + PATHS;
  let failure = collect(walker, values, json, length);
  if (failure == PATHS_FULL) {
    pathsReset(paths);
    failure = collect(walker, values, json, length);
  }
  if (failure) return failure == PATHS_FULL ? JSON_TOO_MANY_PATHS : failure;
  const leaves = walker + ROOM;
  const leavesEnd = <usize>load<u32>(walker, 8);
  const end = walker + <usize>load<u32>(walker);
  if (<u64>leavesEnd + <u64>load<u32>(walker, 24) > <u64>end) return JSON_FULL;
  if (!leavesOrder(leaves, <i32>((leavesEnd - leaves) / LEAF_BYTES), end)) return JSON_FULL;
  if (values && !valuesSettle(values)) return FULL;
  store<i32>(walker, shapeOf(walker + SHAPES, load<u64>(walker, 16), json, length), 4);
  const fed = feed(walker, inverter, tokenizer, docid, leaves, leavesEnd);
  if (values && fed >= 0) valuesKeep(values);
  return fed;
}

/** Lists the leaves of a document in the order of the walk, and reports its values; 0, or an error. */
function collect(walker: usize, values: usize, json: usize, length: i32): i32 {
  const end = json + <usize>length;
  const roomEnd = walker + <usize>load<u32>(walker) - MARGIN_BYTES;
  let at = blanksEnd(json, end);
  if (at >= end || <u32>load<u8>(at) != OBJECT_OPEN) return JSON_DAMAGED;
  begin(walker, values);
  // The current container: its path, field and column, its bracket, and whether nothing of it was seen yet.
  let depth = 0;
  let path = 0;
  let field = -1;
  let column = -1;
  let open: u32 = OBJECT_OPEN;
  let empty = true;
  at = blanksEnd(at + 1, end);
  while (at && at < end) {
    if (<usize>load<u32>(walker, 8) >= roomEnd) return JSON_FULL;
    let byte: u32 = load<u8>(at);
    if ((byte | BRACKET_FOLD) == OBJECT_CLOSE) {
      if (empty) addLeaf(walker, field, LEAF_EMPTY, at, 0);
      if (!depth) return 0;
      const frame = frameAt(walker, --depth);
      path = load<i32>(frame);
      field = load<i32>(frame, 4);
      open = load<u32>(frame, 8);
      column = load<i32>(frame, 12);
      empty = false;
      at = blanksEnd(at + 1, end);
      continue;
    }
    if (!empty) {
      if (byte != COMMA) return JSON_DAMAGED;
      at = blanksEnd(at + 1, end);
    }
    empty = false;
    let name = path;
    let nameField = field;
    let nameColumn = column;
    const isMember = open == OBJECT_OPEN;
    if (isMember) {
      name = memberPath(walker, path, at, end);
      if (name < 0) return name;
      nameField = pathField(walker + PATHS, name);
      if (nameField >= FIELDS_MAX) return JSON_FIELD_NUMBER;
      at = <usize>load<u32>(walker, 12);
      nameColumn = values ? columnOf(walker, values, name, depth, at, end) : -1;
    }
    byte = load<u8>(at);
    if ((byte | BRACKET_FOLD) == OBJECT_OPEN && nameField != FIELD_NONE_BELOW) {
      if (depth && isMember) addLeaf(walker, nameField, LEAF_EMPTY, at, 0);
      if (nameColumn >= 0 && isMember) containerValue(values, nameColumn, at, end);
      frameStore(frameAt(walker, depth++), path, field, open, column);
      if (depth == DEPTH_MAX) return JSON_TOO_DEEP;
      path = name;
      field = nameField;
      column = nameColumn;
      open = byte;
      empty = true;
      at++;
    } else {
      const value = at;
      at = addValue(walker, nameField, at, end);
      if (nameColumn >= 0 && at) addColumnValue(walker, values, nameColumn, isMember, value, at);
    }
    if (at) at = blanksEnd(at, end);
  }
  return JSON_DAMAGED;
}

/** Prepares the header for a document. */
function begin(walker: usize, values: usize): void {
  store<u32>(walker, <u32>(walker + ROOM), 8);
  store<u64>(walker, 0, 16);
  store<u32>(walker, 0, 24);
  store<u32>(walker, 0, 28);
  store<u32>(walker, 0, 36);
  if (values) valuesBegin(values);
}

function frameStore(frame: usize, path: i32, field: i32, open: u32, column: i32): void {
  store<i32>(frame, path);
  store<i32>(frame, field, 4);
  store<u32>(frame, open, 8);
  store<i32>(frame, column, 12);
}

/**
 * Column of a path whose value should be reported to the value table, or -1. If it holds locations or
 * geometries, the one at `at` is remembered. Degrees written as a text are reported here, as numbers.
 */
function columnOf(walker: usize, values: usize, path: i32, depth: i32, at: usize, end: usize): i32 {
  const answer = pathColumn(walker + PATHS, path);
  if (answer < COLUMN_POINT) return answer;
  const column = answer & (COLUMN_POINT - 1);
  if (answer >= COLUMN_DEGREES) return addDegrees(values, column, at, end) ? -1 : column;
  const after = (<u32>load<u8>(at) | BRACKET_FOLD) == OBJECT_OPEN && !depth ? containerEnd(at, end) : 0;
  if (after) {
    const kept = walker + (answer < COLUMN_GEOMETRY ? 28 : 36);
    store<u32>(kept, <u32>at);
    store<u32>(kept, <u32>(after - at), 4);
  }
  return column;
}

/** Reports a string that is a number to the value table; false when it is not one. */
function addDegrees(values: usize, column: i32, at: usize, end: usize): bool {
  if (<u32>load<u8>(at) != QUOTE) return false;
  const after = valueEnd(at, end);
  const degrees = after ? double(at + 1, <i32>(after - at) - 2) : NaN;
  if (!isFinite(degrees)) return false;
  valueNumber(values, column, degrees);
  return true;
}

function frameAt(walker: usize, depth: i32): usize {
  return walker + FRAMES + <usize>depth * FRAME_BYTES;
}

/**
 * Number of the path of the member whose name begins at `at`, or an error. Leaves the address of its value in
 * the header.
 */
function memberPath(walker: usize, parent: i32, at: usize, end: usize): i32 {
  if (at >= end || <u32>load<u8>(at) != QUOTE) return JSON_DAMAGED;
  let name = at + 1;
  const found = stringEnd(name, end);
  if (!found) return JSON_DAMAGED;
  const closing = <usize>(found >> 1);
  const value = memberValue(closing, end);
  if (!value) return JSON_DAMAGED;
  store<u32>(walker, <u32>value, 12);
  let length = <i32>(closing - name);
  let spare = <usize>load<u32>(walker, 8) + LEAF_BYTES;
  const roomEnd = walker + <usize>load<u32>(walker);
  if (<u32>(found & 1)) {
    if (<u64>spare + <u64>length > <u64>roomEnd) return JSON_FULL;
    length = jsonUnescape(name, length, spare);
    name = spare;
    spare += <usize>length;
  }
  const hash = textHash(name, length);
  // The empty name has hash 0, and must count as well.
  if (!parent) store<u64>(walker, load<u64>(walker, 16) + hash + 1, 16);
  return pathOf(walker + PATHS, parent, name, length, hash, spare, roomEnd);
}

/**
 * Adds the leaf of a string, number or literal, or skips a container; returns the byte after it, 0 when
 * damaged.
 */
function addValue(walker: usize, field: i32, at: usize, end: usize): usize {
  const first: u32 = load<u8>(at);
  if (first == QUOTE) {
    const found = stringEnd(at + 1, end);
    if (!found) return 0;
    const closing = <usize>(found >> 1);
    const length = <u32>(closing - at - 1);
    const escaped = <u32>(found & 1);
    if (escaped && length > load<u32>(walker, 24)) store<u32>(walker, length, 24);
    addLeaf(walker, field, escaped ? LEAF_ESCAPED : LEAF_TEXT, at + 1, <i32>length);
    return closing + 1;
  }
  if ((first | BRACKET_FOLD) == OBJECT_OPEN) return containerEnd(at, end);
  const after = scalarEnd(at, end);
  if (!after) return 0;
  if (field < 0) return after;
  const length = <i32>(after - at);
  let kind = LEAF_TEXT;
  if (first == NULL) kind = LEAF_EMPTY;
  else if (first <= DIGIT_LAST && !isPrinted(at, length)) kind = LEAF_NUMBER;
  addLeaf(walker, field, kind, at, length);
  return after;
}

/** Reports the string, number or literal from `at` to `after` to the value table. */
function addColumnValue(
  walker: usize,
  values: usize,
  column: i32,
  isMember: bool,
  at: usize,
  after: usize,
): void {
  const spare = <usize>load<u32>(walker, 8);
  // `longest` also counts a string that does not fit here: then the whole document is refused.
  scalarValue(values, column, isMember, at, after, spare, walker + <usize>load<u32>(walker));
}

/**
 * Appends a leaf; values of fields that are not searchable leave no trace. The caller has made sure that
 * there is room for one.
 */
function addLeaf(walker: usize, field: i32, kind: u32, address: usize, length: i32): void {
  if (field < 0) return;
  const leaf = <usize>load<u32>(walker, 8);
  leafStore(leaf, field, kind, address, length);
  store<u32>(walker, <u32>(leaf + LEAF_BYTES), 8);
}

/** Passes the leaves of a document to the inverter; returns their number, or the inverter's error. */
function feed(
  walker: usize, inverter: usize, tokenizer: usize, docid: i32, leaves: usize, leavesEnd: usize,
): i32 {
  inverterBeginDocument(inverter, docid);
  for (let leaf = leaves; leaf < leavesEnd; leaf += LEAF_BYTES) {
    const field = leafField(leaf);
    const locale = <i32>load<u16>(walker + ((<usize>field) << 1), LOCALES);
    const text = leafAddress(leaf);
    let length = leafLength(leaf);
    let answer = 0;
    switch (leafKind(leaf)) {
      case LEAF_EMPTY:
        answer = inverterEmptyLeaf(inverter, field);
        break;
      case LEAF_TEXT:
        answer = inverterLeaf(inverter, tokenizer, field, locale, text, length);
        break;
      case LEAF_ESCAPED:
        length = jsonUnescape(text, length, leavesEnd);
        answer = inverterLeaf(inverter, tokenizer, field, locale, leavesEnd, length);
        break;
      case LEAF_NUMBER:
        length = number(text, length, leavesEnd);
        answer = inverterLeaf(inverter, tokenizer, field, locale, leavesEnd, length);
        break;
    }
    if (answer < 0) return answer;
  }
  const answer = inverterEndDocument(inverter);
  return answer < 0 ? answer : <i32>((leavesEnd - leaves) / LEAF_BYTES);
}
