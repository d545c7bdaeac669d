// The fields of the index that count for the search: where it looks, and where derived words count as well.
// Set by index.ts; read throughout this folder.
import { allocZeroed } from "./arena";
import { ALLOWED, EXACT_NUMBERS, EXACT_ONLY, RESTRICTED, Setup } from "./setup";

let fields: usize = 0;
export let fieldCount: i32 = 0;
/** Largest weight of a field. */
export let weightMax: u32 = 0;
/** Whether all look-ups find a word wherever it occurs. */
export let isEverywhere: bool = false;
/** Bits of the fields that count for words of the query; below, of those for derived words; 0: all. */
export let ownFields: usize = 0;
export let derivedFields: usize = 0;
/** Bits of the fields where typos are tolerated, whether or not the search looks there; 0: all. */
export let tolerantFields: usize = 0;
/** A byte per field: 1 when the search looks there. */
export let fieldFlags: usize = 0;
/** Whether derived numbers count nowhere. */
export let skipsNumbers: bool = false;

export function fieldsBegin(setup: Setup): void {
  const hasExactNumbers = (setup.options & EXACT_NUMBERS) != 0;
  fields = setup.fields;
  fieldCount = setup.fieldCount;
  weightMax = setup.weightMax;
  skipsNumbers = hasExactNumbers && !(setup.options & RESTRICTED);
  let all = true;
  let tolerant = true;
  fieldFlags = allocZeroed(<usize>fieldCount + 1);
  for (let field = 0; field < fieldCount; field++) {
    store<u8>(fieldFlags + <usize>field, u8(isAllowed(field)));
    if (!isAllowed(field)) all = false;
    if (isExact(field)) tolerant = false;
  }
  isEverywhere = all && tolerant && !hasExactNumbers;
  ownFields = all ? 0 : newFieldBits();
  derivedFields = all && tolerant ? 0 : newFieldBits();
  tolerantFields = tolerant ? 0 : newFieldBits();
  for (let field = 0; field < fieldCount; field++) {
    if (!all && isAllowed(field)) addField(ownFields, field);
    if (!(all && tolerant) && isAllowed(field) && !isExact(field)) addField(derivedFields, field);
    if (!tolerant && !isExact(field)) addField(tolerantFields, field);
  }
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

/** Bits for all fields, none of them set. */
export function newFieldBits(): usize {
  return allocZeroed(((<usize>fieldCount + 7) >> 3) + 8);
}

export function addField(bits: usize, field: i32): void {
  const at = bits + ((<usize>field) >> 3);
  const bit = 1 << (field & 7);
  store<u8>(at, load<u8>(at) | <u8>bit);
}
