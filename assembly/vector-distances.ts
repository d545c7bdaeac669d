// Distance of two vectors, from 0 to 1: by cosine for FLOATS and CODES, (1 - cosine) / 2; for BITS the
// fraction of all bits in a row that differ. Kinds, rows and queries are drawn in vectors.ts.
import {
  codesFactor,
  FACTOR_BYTES,
  floatsProduct,
  QUERY_HEAD_BYTES,
  VECTOR_CODES,
  VECTOR_FLOATS,
  vectorRowBytes,
} from "./vectors";

// The zero vector has no direction. As FLOATS, which users see in the end, it is as near as possible to all
// others; as CODES, of which graphs are made, it is half-way, since otherwise it would be everybody's
// neighbour: so searches by codes find it without them (src/segment/zerovectors.ts).

/** Below this product of two lengths, of which that of the query is about 1, squares may have lost digits. */
const LENGTHS_MIN: f32 = 1e-12;

/** Bytes of ones, then zeros: the mask of the first n bytes of 16 begins 16 - n bytes into it. */
const MASKS: usize = memory.data<u8>(
  [
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0,
  ],
  16,
);

/** Distance of a query and a row. */
export function vectorDistance(kind: i32, query: usize, row: usize, dimensions: i32): f32 {
  if (kind == VECTOR_CODES) return codesDistance(query, row, dimensions, vectorRowBytes(kind, dimensions));
  if (kind == VECTOR_FLOATS) return floatsDistance(query, row, dimensions);
  return bitsDistance(query + QUERY_HEAD_BYTES, row, vectorRowBytes(kind, dimensions));
}

/** Distance of two rows of CODES or BITS. */
export function vectorRowsDistance(kind: i32, a: usize, b: usize, dimensions: i32, rowBytes: usize): f32 {
  if (kind != VECTOR_CODES) return bitsDistance(a, b, rowBytes);
  const sum = <f32>rowsProduct(a, b, dimensions);
  return fromCosine(sum * (codesFactor(a, rowBytes) * codesFactor(b, rowBytes)));
}

/** Distance of a query and a row of CODES. */
export function codesDistance(query: usize, row: usize, dimensions: i32, rowBytes: usize): f32 {
  const sum = <f32>codesProduct(query + QUERY_HEAD_BYTES, row, dimensions);
  return fromCosine(sum * (load<f32>(query) * codesFactor(row, rowBytes)));
}

/** Distances of a query and four rows of CODES, the same as one by one. */
export function codesDistances(
  query: usize,
  a: usize,
  b: usize,
  c: usize,
  d: usize,
  dimensions: i32,
  rowBytes: usize,
): v128 {
  const factorAt = rowBytes - FACTOR_BYTES;
  let factors = v128.load32_splat(a + factorAt);
  factors = f32x4.replace_lane(factors, 1, load<f32>(b + factorAt));
  factors = f32x4.replace_lane(factors, 2, load<f32>(c + factorAt));
  factors = f32x4.replace_lane(factors, 3, load<f32>(d + factorAt));
  factors = f32x4.mul(v128.load32_splat(query), factors);
  query += QUERY_HEAD_BYTES;
  let sumA = i32x4.splat(0);
  let sumB = i32x4.splat(0);
  let sumC = i32x4.splat(0);
  let sumD = i32x4.splat(0);
  for (const end = a + ((<usize>dimensions + 15) & ~15); a < end; query += 32) {
    const low = v128.load(query);
    const high = v128.load(query, 16);
    sumA = i32x4.add(sumA, i32x4.dot_i16x8_s(v128.load8x8_s(a), low));
    sumB = i32x4.add(sumB, i32x4.dot_i16x8_s(v128.load8x8_s(b), low));
    sumC = i32x4.add(sumC, i32x4.dot_i16x8_s(v128.load8x8_s(c), low));
    sumD = i32x4.add(sumD, i32x4.dot_i16x8_s(v128.load8x8_s(d), low));
    sumA = i32x4.add(sumA, i32x4.dot_i16x8_s(v128.load8x8_s(a, 8), high));
    sumB = i32x4.add(sumB, i32x4.dot_i16x8_s(v128.load8x8_s(b, 8), high));
    sumC = i32x4.add(sumC, i32x4.dot_i16x8_s(v128.load8x8_s(c, 8), high));
    sumD = i32x4.add(sumD, i32x4.dot_i16x8_s(v128.load8x8_s(d, 8), high));
    a += 16;
    b += 16;
    c += 16;
    d += 16;
  }
  const ab = i32x4.add(
    i32x4.shuffle(sumA, sumB, 0, 4, 1, 5),
    i32x4.shuffle(sumA, sumB, 2, 6, 3, 7),
  );
  const cd = i32x4.add(
    i32x4.shuffle(sumC, sumD, 0, 4, 1, 5),
    i32x4.shuffle(sumC, sumD, 2, 6, 3, 7),
  );
  const sums = i32x4.add(i32x4.shuffle(ab, cd, 0, 1, 4, 5), i32x4.shuffle(ab, cd, 2, 3, 6, 7));
  const cosines = f32x4.mul(f32x4.convert_i32x4_s(sums), factors);
  // NaN fails the comparison, as in `fromCosine`.
  const within = f32x4.min(f32x4.pmax(f32x4.splat(-1), cosines), f32x4.splat(1));
  return f32x4.mul(f32x4.sub(f32x4.splat(1), within), f32x4.splat(0.5));
}

/** Distance of a query and a row of FLOATS, whose length is measured on the way. */
function floatsDistance(query: usize, row: usize, dimensions: i32): f32 {
  const length = load<f32>(query);
  query += QUERY_HEAD_BYTES;
  let products = f32x4.splat(0);
  let others = f32x4.splat(0);
  let squares = f32x4.splat(0);
  let otherSquares = f32x4.splat(0);
  const end = row + (<usize>dimensions << 2);
  for (; row + 32 <= end; row += 32, query += 32) {
    const one = v128.load(row);
    const other = v128.load(row, 16);
    products = f32x4.add(products, f32x4.mul(one, v128.load(query)));
    others = f32x4.add(others, f32x4.mul(other, v128.load(query, 16)));
    squares = f32x4.add(squares, f32x4.mul(one, one));
    otherSquares = f32x4.add(otherSquares, f32x4.mul(other, other));
  }
  let product = sumOfFloats(f32x4.add(products, others));
  let square = sumOfFloats(f32x4.add(squares, otherSquares));
  for (; row < end; row += 4, query += 4) {
    const component = load<f32>(row);
    product += component * load<f32>(query);
    square += component * component;
  }
  // Rounded where the reference rounds, so that few similarities differ in their last digit. Squares that an
  // f32 cannot hold, or not precisely, are added up again with more bits.
  const lengths = length * sqrt<f32>(square);
  if (lengths > LENGTHS_MIN && lengths < f32.MAX_VALUE) return fromCosine(product / lengths);
  const start = <usize>dimensions << 2;
  row -= start;
  query -= start;
  const exactSquare = floatsProduct(row, row, dimensions);
  if (length == 0 || exactSquare == 0) return 0;
  const exactSquares = exactSquare * floatsProduct(query, query, dimensions);
  return fromCosine(<f32>(floatsProduct(query, row, dimensions) / sqrt(exactSquares)));
}

/** Fraction of the bits of two rows that differ. */
function bitsDistance(a: usize, b: usize, bytes: usize): f32 {
  let differing: u64 = 0;
  for (const end = a + bytes; a < end; a += 8, b += 8) differing += popcnt<u64>(load<u64>(a) ^ load<u64>(b));
  return <f32>differing / <f32>(bytes << 3);
}

/** NaN (from damaged codes) counts as the largest distance: with it, a walk might have no end. */
function fromCosine(cosine: f32): f32 {
  const within: f32 = cosine > -1 ? min<f32>(cosine, 1) : -1;
  return (<f32>1 - within) * <f32>0.5;
}

/** Zeros after the query's values cancel whatever follows those of the row. */
function codesProduct(query: usize, row: usize, dimensions: i32): i32 {
  let even = i32x4.splat(0);
  let odd = i32x4.splat(0);
  const end = row + ((<usize>dimensions + 15) & ~15);
  for (; row + 32 <= end; row += 32, query += 64) {
    even = i32x4.add(even, i32x4.dot_i16x8_s(v128.load8x8_s(row), v128.load(query)));
    odd = i32x4.add(odd, i32x4.dot_i16x8_s(v128.load8x8_s(row, 8), v128.load(query, 16)));
    even = i32x4.add(even, i32x4.dot_i16x8_s(v128.load8x8_s(row, 16), v128.load(query, 32)));
    odd = i32x4.add(odd, i32x4.dot_i16x8_s(v128.load8x8_s(row, 24), v128.load(query, 48)));
  }
  if (row < end) {
    even = i32x4.add(even, i32x4.dot_i16x8_s(v128.load8x8_s(row), v128.load(query)));
    odd = i32x4.add(odd, i32x4.dot_i16x8_s(v128.load8x8_s(row, 8), v128.load(query, 16)));
  }
  return sumOfIntegers(i32x4.add(even, odd));
}

function rowsProduct(a: usize, b: usize, dimensions: i32): i32 {
  let even = i32x4.splat(0);
  let odd = i32x4.splat(0);
  const end = a + (<usize>dimensions & ~15);
  for (; a < end; a += 16, b += 16) {
    even = i32x4.add(even, i32x4.dot_i16x8_s(v128.load8x8_s(a), v128.load8x8_s(b)));
    odd = i32x4.add(odd, i32x4.dot_i16x8_s(v128.load8x8_s(a, 8), v128.load8x8_s(b, 8)));
  }
  const rest = <usize>dimensions & 15;
  if (rest) {
    const codes = v128.and(v128.load(a), v128.load(MASKS + 16 - rest));
    const others = v128.load(b);
    even = i32x4.add(
      even,
      i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(codes), i16x8.extend_low_i8x16_s(others)),
    );
    odd = i32x4.add(
      odd,
      i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(codes), i16x8.extend_high_i8x16_s(others)),
    );
  }
  return sumOfIntegers(i32x4.add(even, odd));
}

function sumOfIntegers(four: v128): i32 {
  return (
    i32x4.extract_lane(four, 0) +
    i32x4.extract_lane(four, 1) +
    (i32x4.extract_lane(four, 2) + i32x4.extract_lane(four, 3))
  );
}

function sumOfFloats(four: v128): f32 {
  return (
    f32x4.extract_lane(four, 0) +
    f32x4.extract_lane(four, 1) +
    (f32x4.extract_lane(four, 2) + f32x4.extract_lane(four, 3))
  );
}
