// Vectors as rows of equal length, in three kinds, and queries in the form in which they are compared with
// them. Written by src/segment, read by vector-scan.ts and graph-*.ts.
//
//   FLOATS (0)   | f32 each dimension |                                      as it came in, of any length
//   CODES (1)    | i8 each dimension | zeros | f32 factor |                  a multiple of 16 bytes
//   BITS (2)     | u64 each 64 dimensions |                                  bit = component above 0
//
//   query        | f32 length | 12 bytes | FLOATS: f32 each dimension
//                | f32 factor | 12 bytes | CODES:  i16 each dimension, zeros up to a multiple of 16 of them
//                | 16 bytes              | BITS:   u64 each 64 dimensions
//
// A code is the ratio of a component to the largest one of its vector, in steps of 1/127. A factor is 1
// divided by the length of the vector that the codes describe, 0 for the zero vector: a cosine is the product
// of codes times both factors. Queries have finer codes than rows, so their part of the error is negligible.
//
// Rows may begin anywhere; nothing beyond the last one is looked at.

export const VECTOR_FLOATS: i32 = 0;
export const VECTOR_CODES: i32 = 1;
export const VECTOR_BITS: i32 = 2;
export const QUERY_HEAD_BYTES: usize = 16;

const CODE_MAX: i32 = 127;
/** Largest code of a query. */
const QUERY_CODE_MAX: i32 = 2047;
/** Sums of products stay below this. */
const SUM_MAX: i32 = 2147483647;
export const FACTOR_BYTES: usize = 4;

const LINE_BYTES: usize = 64;
/** The processor fetches what is further on by itself. */
const TOUCHED_BYTES_MAX: usize = 320;

/**
 * Receives bytes that are read only to be fetched. Exported from the core, so that no compiler leaves out the
 * reading.
 */
export let touched: u32 = 0;

/** Bytes from one row to the next. */
export function vectorRowBytes(kind: i32, dimensions: i32): usize {
  const count = <usize>dimensions;
  if (kind == VECTOR_FLOATS) return count << 2;
  if (kind == VECTOR_CODES) return (count + FACTOR_BYTES + 15) & ~15;
  return ((count + 63) >> 6) << 3;
}

/** Bytes of a query. */
export function vectorQueryBytes(kind: i32, dimensions: i32): usize {
  const count = <usize>dimensions;
  if (kind == VECTOR_FLOATS) return QUERY_HEAD_BYTES + (count << 2);
  if (kind == VECTOR_CODES) return QUERY_HEAD_BYTES + (((count + 15) & ~15) << 1);
  return QUERY_HEAD_BYTES + (((count + 63) >> 6) << 3);
}

/**
 * Reads from each cache line of a row that will be needed soon. If rows are scattered over memory, the
 * processor fetches many at once this way; otherwise it would wait for one after another.
 */
export function touchRow(row: usize, bytes: usize): void {
  const end = row + min(bytes, TOUCHED_BYTES_MAX);
  let sum: u32 = 0;
  for (; row + 4 <= end; row += LINE_BYTES) sum += load<u32>(row);
  touched = sum;
}

/** Writes the rows of `count` finite f32 vectors that are stored one after another. */
export function vectorRows(kind: i32, vectors: usize, count: i32, dimensions: i32, out: usize): void {
  const bytes = vectorRowBytes(kind, dimensions);
  for (let i = 0; i < count; i++) {
    if (kind == VECTOR_FLOATS) memory.copy(out, vectors, <usize>dimensions << 2);
    else if (kind == VECTOR_CODES) writeCodes(vectors, dimensions, out);
    else writeBits(vectors, dimensions, out);
    vectors += <usize>dimensions << 2;
    out += bytes;
  }
}

/** Turns a finite f32 vector into a query. */
export function vectorQuery(kind: i32, vector: usize, dimensions: i32, out: usize): void {
  memory.fill(out, 0, vectorQueryBytes(kind, dimensions));
  const values = out + QUERY_HEAD_BYTES;
  if (kind == VECTOR_FLOATS) {
    memory.copy(values, vector, <usize>dimensions << 2);
    store<f32>(out, sqrt<f32>(<f32>floatsProduct(vector, vector, dimensions)));
  } else if (kind == VECTOR_CODES) {
    store<f32>(out, writeFineCodes(vector, dimensions, values));
  } else {
    writeBits(vector, dimensions, values);
  }
}

/** Turns a row of CODES or BITS into a query: the vector itself is not needed. */
export function vectorQueryOfRow(kind: i32, row: usize, dimensions: i32, out: usize): void {
  const values = out + QUERY_HEAD_BYTES;
  if (kind == VECTOR_BITS) {
    memory.copy(values, row, vectorRowBytes(kind, dimensions));
    return;
  }
  memory.fill(out, 0, vectorQueryBytes(kind, dimensions));
  for (let i: usize = 0; i < <usize>dimensions; i++) store<i16>(values + (i << 1), <i16>load<i8>(row + i));
  store<f32>(out, codesFactor(row, vectorRowBytes(kind, dimensions)));
}

/** The factor of a row of CODES. */
export function codesFactor(row: usize, bytes: usize): f32 {
  return load<f32>(row + bytes - FACTOR_BYTES);
}

/** 1 divided by the root of a sum of squares, 0 where that makes no sense. */
export function inverseRoot(sum: f32): f32 {
  const factor = <f32>1 / sqrt<f32>(sum);
  return sum > 0 && factor > 0 ? factor : 0;
}

function writeCodes(vector: usize, dimensions: i32, out: usize): void {
  const bytes = vectorRowBytes(VECTOR_CODES, dimensions);
  memory.fill(out, 0, bytes);
  const step = <f64>CODE_MAX / largest(vector, dimensions);
  let sum: i32 = 0;
  for (let i: usize = 0; i < <usize>dimensions; i++) {
    const code = codeOf(load<f32>(vector + (i << 2)), step, CODE_MAX);
    store<i8>(out + i, <i8>code);
    sum += code * code;
  }
  store<f32>(out + bytes - FACTOR_BYTES, inverseRoot(<f32>sum));
}

/** Writes the codes of a query; returns their factor. */
function writeFineCodes(vector: usize, dimensions: i32, out: usize): f32 {
  const most = min(QUERY_CODE_MAX, SUM_MAX / (CODE_MAX * dimensions));
  const step = <f64>most / largest(vector, dimensions);
  let sum: f64 = 0;
  for (let i: usize = 0; i < <usize>dimensions; i++) {
    const code = codeOf(load<f32>(vector + (i << 2)), step, most);
    store<i16>(out + (i << 1), <i16>code);
    sum += <f64>(code * code);
  }
  return inverseRoot(<f32>sum);
}

/** NaN (0 divided by 0) becomes 0. */
function codeOf(component: f32, step: f64, most: i32): i32 {
  return max(-most, min(most, <i32>nearest<f64>(<f64>component * step)));
}

/** The largest absolute value of a component. */
function largest(vector: usize, dimensions: i32): f32 {
  let four = f32x4.splat(0);
  const end = vector + (<usize>dimensions << 2);
  for (; vector + 16 <= end; vector += 16) four = f32x4.max(four, f32x4.abs(v128.load(vector)));
  let most = max(
    max(f32x4.extract_lane(four, 0), f32x4.extract_lane(four, 1)),
    max(f32x4.extract_lane(four, 2), f32x4.extract_lane(four, 3)),
  );
  for (; vector < end; vector += 4) most = max(most, abs(load<f32>(vector)));
  return most;
}

/** Product of two vectors, which no components of an f32 make too large or too small for an f64. */
export function floatsProduct(a: usize, b: usize, dimensions: i32): f64 {
  let sum: f64 = 0;
  for (const end = a + (<usize>dimensions << 2); a < end; a += 4, b += 4) {
    sum += <f64>load<f32>(a) * <f64>load<f32>(b);
  }
  return sum;
}

function writeBits(vector: usize, dimensions: i32, out: usize): void {
  memory.fill(out, 0, vectorRowBytes(VECTOR_BITS, dimensions));
  for (let i: usize = 0; i < <usize>dimensions; i++) {
    const at = out + (i >> 3);
    const bit = <u32>(load<f32>(vector + (i << 2)) > 0) << (<u32>i & 7);
    store<u8>(at, load<u8>(at) | <u8>bit);
  }
}
