// The parts of Node's module `util` that are used, for browsers.

/** For values that come from JSON. */
export function isDeepStrictEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), b as Record<string, unknown>];
  return (
    left.length === Object.keys(b).length &&
    left.every(([name, value]) => Object.hasOwn(right, name) && isDeepStrictEqual(value, right[name]))
  );
}
