// What is made once for an object and kept for as long as it is there: for the settings of an index, as they
// were read from its manifest, and for what follows from them. Used by searches, facets, filters and the
// writing side.

export function remembered<Key extends object, Value>(
  known: WeakMap<Key, Value>,
  key: Key,
  make: () => Value,
): Value {
  let value = known.get(key);
  if (value === undefined) {
    value = make();
    known.set(key, value);
  }
  return value;
}
