// Reports to the value table (values.ts) the values that the walker (json-walker.ts) meets in fields with a
// column. Null and emptiness count as the value of a field, but not as an element of an array.
import { jsonUnescape } from "./json";
import { jsonDouble } from "./json-double";
import { BACKSLASH, BRACKET_FOLD, OBJECT_CLOSE, QUOTE, blanksEnd } from "./json-scan";
import { KIND_EMPTY, KIND_NULL, valueContainer, valueMark, valueNumber, valueText } from "./values";

const NULL: u32 = 0x6e;
/** Numbers begin with a minus or a digit, below all letters. */
const DIGIT_LAST: u32 = 0x39;

/** Reports an object or array that begins at `at` and is the value of a field. */
export function containerValue(values: usize, column: i32, at: usize, end: usize): void {
  const first: u32 = load<u8>(blanksEnd(at + 1, end));
  if ((first | BRACKET_FOLD) == OBJECT_CLOSE) valueMark(values, column, KIND_EMPTY);
  else valueContainer(values, column);
}

/**
 * Reports the string, number or literal from `at` to `after`, which is the value of a field (`isMember`) or
 * an element of an array. Escapes are resolved in the room from `spare` to `spareEnd`; a string that does not
 * fit there is left out.
 */
export function scalarValue(
  values: usize,
  column: i32,
  isMember: bool,
  at: usize,
  after: usize,
  spare: usize,
  spareEnd: usize,
): void {
  const first: u32 = load<u8>(at);
  const length = <i32>(after - at);
  if (first == QUOTE) {
    if (length > 2) stringValue(values, column, at + 1, length - 2, spare, spareEnd);
    else if (isMember) valueMark(values, column, KIND_EMPTY);
  } else if (first == NULL) {
    if (isMember) valueMark(values, column, KIND_NULL);
  } else if (first > DIGIT_LAST) valueText(values, column, at, length);
  else {
    const number = jsonDouble(at, length);
    if (isFinite(number)) valueNumber(values, column, number);
    else if (isMember) valueContainer(values, column);
  }
}

function stringValue(
  values: usize,
  column: i32,
  text: usize,
  length: i32,
  spare: usize,
  spareEnd: usize,
): void {
  if (!hasEscapes(text, length)) valueText(values, column, text, length);
  else if (<u64>spare + <u64>length <= <u64>spareEnd) {
    valueText(values, column, spare, jsonUnescape(text, length, spare));
  }
}

function hasEscapes(text: usize, length: i32): bool {
  const end = text + <usize>length;
  const backslashes = i8x16.splat(<i8>BACKSLASH);
  for (; text < end; text += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(text), backslashes));
    if (found && text + <usize>ctz(found) < end) return true;
  }
  return false;
}
