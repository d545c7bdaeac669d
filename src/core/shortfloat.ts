// How an f32 is written. Called where the vectors that were searched for are shown.

/** The shortest decimal that reads back as the same f32: `0.1`, not `0.10000000149011612`. */
export function shortFloat(value: number): number {
  const rounded = Math.fround(value);
  for (let digits = 1; digits < DIGITS_MAX; digits++) {
    const short = Number(rounded.toPrecision(digits));
    if (Math.fround(short) === rounded) return short;
  }
  return Number(rounded.toPrecision(DIGITS_MAX));
}

/** This many digits distinguish all f32. */
const DIGITS_MAX = 9;
