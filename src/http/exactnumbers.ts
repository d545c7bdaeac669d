// Numbers that are ids: JavaScript would round one of 17 digits, and forget that another one was `1.0`. In
// the bodies of routes that take ids, numbers that would read otherwise become texts. Called by bodyjson.ts.

/** The literal of a JSON number as a value; others than numbers stay what they are. */
export function exactValue(literal: string): unknown {
  const value: unknown = JSON.parse(literal);
  return typeof value === "number" && String(value) !== literal ? literal : value;
}

/** Only these numbers can read otherwise: long ones, those with a fraction or an exponent, and minus 0. */
const SUSPECT = /\d{16}|\d[.eE]|-0/;
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A JSON text with quotes around such numbers; what is no JSON stays none. */
export function withExactNumbers(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(TEXT_OR_NUMBER, (found) =>
    found.startsWith('"') || String(Number(found)) === found ? found : `"${found}"`,
  );
}
