// Values that are computed once for an object and kept as long as it lives: for instance for the settings of
// an index, as read from its manifest, and for what is derived from them. Used throughout src/engine.

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
