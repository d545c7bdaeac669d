// The helpers that habits.ts and forms.ts generate calls of, as a part of the program in prelude.ts. They
// loop step by step, so that the bounds of time and memory hold.

/** Declares `helpers`, under the names that sources call them by, and `primitiveOf`. */
export const HELPERS = `
  const ofMaps = (act) => (whole, ...given) => {
    if (!isMap(whole)) throw new TypeError("only maps have this method");
    return act(whole, ...given);
  };
  const hasOwn = Function.prototype.call.bind(Object.prototype.hasOwnProperty);
  const isSame = (one, other) => {
    if (one === other || (one !== one && other !== other)) return true;
    if (isArray(one)) {
      if (!isArray(other) || one.length !== other.length) return false;
      for (let at = 0; at < one.length; at++) if (!isSame(one[at], other[at])) return false;
      return true;
    }
    if (!isMap(one) || !isMap(other)) return false;
    const names = keys(one);
    if (names.length !== keys(other).length) return false;
    for (const name of names) if (!hasOwn(other, name) || !isSame(one[name], other[name])) return false;
    return true;
  };
  const placeOf = (list, wanted) => {
    const isWanted = typeof wanted === "function" ? wanted : (item) => isSame(item, wanted);
    for (let at = 0; at < list.length; at++) if (isWanted(list[at])) return at;
    return -1;
  };
  const mixin = (map, other) => {
    for (const name of keys(other)) map[name] = other[name];
    return map;
  };
  const clear = (map) => {
    for (const name of keys(map)) delete map[name];
  };
  const typeOf = (value) => {
    if (value === null || value === undefined) return "()";
    if (isArray(value)) return "array";
    const type = typeof value;
    if (type === "number") return Number.isInteger(value) ? "i64" : "f64";
    return { boolean: "bool", function: "Fn", object: "map" }[type] ?? type;
  };
  const mapMethods = {
    keys: ofMaps((map) => keys(map)),
    values: ofMaps((map) => values(map)),
    contains: ofMaps(hasOwn),
    is_empty: ofMaps((map) => keys(map).length === 0),
    clear: ofMaps(clear),
    mixin: ofMaps(mixin),
    type_of: typeOf,
  };
  for (const name of keys(mapMethods))
    give(Object.prototype, {
      [name + "()"](...given) {
        const own = this[name];
        return typeof own === "function" ? own.apply(this, given) : mapMethods[name](this, ...given);
      },
    });
  give(Array.prototype, {
    contains(item) { return placeOf(this, item) >= 0; },
    index_of(item) { return placeOf(this, item); },
    insert(at, item) { this.splice(at, 0, item); },
    append(list) { for (const item of list) this[this.length] = item; },
    clear() { this.length = 0; },
    truncate(length) { if (length < this.length) this.length = length < 0 ? 0 : length; },
    extract(from, count = this.length) {
      const at = from < 0 ? Math.max(0, this.length + from) : from;
      return this.slice(at, at + count);
    },
  });
  const changes = {
    __proto__: null,
    trim: (text) => text.trim(),
    replace: (text, part, by) =>
      typeof part === typeof by ? text.replaceAll(part, () => by) : text.replace(part, by),
    make_upper: (text) => text.toUpperCase(),
    make_lower: (text) => text.toLowerCase(),
    crop: (text, from, count) => text.sub_string(from, count),
    truncate: (text, length) => text.slice(0, length < 0 ? 0 : length),
    clear: () => "",
    remove: (text, part) => text.replaceAll(part, ""),
  };
  // What the operator == asks a list or map for whether it is like.
  const alike = Symbol();
  let expected;
  const primitiveOf = (whole) => {
    const isAlike = expected !== undefined && isSame(whole, expected);
    expected = undefined;
    return isAlike ? alike : noPrimitive;
  };
  const range = (from, end, step = end === undefined || from <= end ? 1 : -1) => {
    if (step === 0 || step !== step) throw new RangeError("a range goes on in steps");
    const [first, last] = end === undefined ? [0, from] : [from, end];
    const list = [];
    for (let at = first; step > 0 ? at < last : at > last; at += step) list[list.length] = at;
    return list;
  };
  const helpers = {
    $in: (whole, isNot = false) => ({
      [Symbol.hasInstance](part) {
        if (isArray(whole)) return (placeOf(whole, part) >= 0) !== isNot;
        if (typeof whole === "string") return whole.includes(part) !== isNot;
        return (isMap(whole) ? hasOwn(whole, part) : part in whole) !== isNot;
      },
    }),
    $span: (from, end) => ({ [Symbol.hasInstance]: (part) => part >= from && part < end }),
    $value(value) {
      if (typeof value !== "object" || value === null || !isWhole(value)) return value;
      expected = value;
      return alike;
    },
    $back(count) {
      const name = "[-" + count + "]";
      if (hasOwn(Object.prototype, name)) return name;
      const of = (value) => (isArray(value) || typeof value === "string" ? value.length - count : -count);
      defineProperty(Object.prototype, name, {
        get() { return this[of(this)]; },
        set(value) {
          if (isArray(this) && count > this.length) throw new RangeError("the list has no item " + -count);
          this[of(this)] = value;
        },
      });
      return name;
    },
    $change(value, change, name, ...given) {
      if (typeof value === "string") return change(changes[name](value, ...given));
      const hidden = name + "()";
      return value[typeof value[name] !== "function" && hidden in Object(value) ? hidden : name](...given);
    },
    $sum(one, other) {
      if (isArray(one) && isArray(other)) one.append(other);
      else if (isMap(one) && isMap(other)) mixin(one, other);
      else return one + other;
      return one;
    },
    // There they are called by that method.
    $closure: (act) => defineProperty(act, "call", { value: act }),
    *$counted(list) {
      let count = 0;
      for (const item of list) yield [item, count++];
    },
    $range: (from, end) => range(from, end, 1),
    range,
    type_of: typeOf,
    print() {},
    debug() {},
  };
`;
