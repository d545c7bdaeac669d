// Copies some members of a JSON object as the bytes that came in: src/engine/documents/selection.ts cuts them
// out of each document of an answer. Wrapped by src/core/json.ts.
//
// Names to keep, one after another:
//
//   | u32 length | bytes, padded to a multiple of 4 | ... | u32 NAMES_END
import {
  COLON,
  COMMA,
  JSON_DAMAGED,
  OBJECT_CLOSE,
  OBJECT_OPEN,
  QUOTE,
  blanksEnd,
  memberValue,
  stringEnd,
  valueEnd,
} from "./json-scan";

const NAMES_END: u32 = 0xffffffff;

/** Error: a name has escapes and cannot be compared here. */
export const JSON_ESCAPED: i32 = -106;

/**
 * Writes the object at `json`, with only the members that `names` keeps, to `out`, which needs room for
 * `length` bytes. Names are compared whole; a name that occurs twice is kept twice. Returns the bytes
 * written, JSON_DAMAGED (-101) or JSON_ESCAPED (-106).
 */
export function jsonSelect(json: usize, length: i32, names: usize, out: usize): i32 {
  const end = json + <usize>length;
  const start = out;
  let separator = OBJECT_OPEN;
  let at = blanksEnd(json, end);
  if (at >= end || <u32>load<u8>(at) != OBJECT_OPEN) return JSON_DAMAGED;
  at = blanksEnd(at + 1, end);
  if (at >= end) return JSON_DAMAGED;
  while (<u32>load<u8>(at) != OBJECT_CLOSE) {
    if (<u32>load<u8>(at) != QUOTE) return JSON_DAMAGED;
    const found = stringEnd(at + 1, end);
    if (!found) return JSON_DAMAGED;
    if (found & 1) return JSON_ESCAPED;
    const closing = <usize>(found >> 1);
    const value = memberValue(closing, end);
    if (!value) return JSON_DAMAGED;
    const after = valueEnd(value, end);
    if (!after) return JSON_DAMAGED;
    if (isAmong(at + 1, closing - at - 1, names)) {
      store<u8>(out++, separator);
      separator = COMMA;
      out = copy(out, at, closing + 1 - at);
      store<u8>(out++, COLON);
      out = copy(out, value, after - value);
    }
    at = blanksEnd(after, end);
    if (at >= end) return JSON_DAMAGED;
    if (<u32>load<u8>(at) == COMMA) at = blanksEnd(at + 1, end);
    else if (<u32>load<u8>(at) != OBJECT_CLOSE) return JSON_DAMAGED;
    if (at >= end) return JSON_DAMAGED;
  }
  if (separator == OBJECT_OPEN) store<u8>(out++, OBJECT_OPEN);
  store<u8>(out++, OBJECT_CLOSE);
  return <i32>(out - start);
}

function isAmong(name: usize, length: usize, names: usize): bool {
  while (true) {
    const other = load<u32>(names);
    if (other == NAMES_END) return false;
    if (<usize>other == length && memory.compare(name, names + 4, length) == 0) return true;
    names += 4 + ((<usize>other + 3) & ~3);
  }
}

function copy(out: usize, from: usize, length: usize): usize {
  memory.copy(out, from, length);
  return out + length;
}
