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
  const placeOf = (list, wanted, from = 0) => {
    const isWanted = typeof wanted === "function" ? wanted : (item) => isSame(item, wanted);
    for (let at = from; at < list.length; at++) if (isWanted(list[at])) return at;
    return -1;
  };
  // A member that is called __proto__ is one like any other.
  const put = (map, name, value) =>
    defineProperty(map, name, { value, configurable: true, enumerable: true, writable: true });
  const copied = (value) => {
    if (isArray(value)) {
      const list = [];
      for (const item of value) list[list.length] = copied(item);
      return list;
    }
    if (!isMap(value)) return value;
    const map = {};
    for (const name of keys(value)) put(map, name, copied(value[name]));
    return map;
  };
  const mixin = (map, other) => {
    for (const name of keys(other)) put(map, name, copied(other[name]));
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
  const noMethod = (name) => new TypeError(NO_FUNCTION + ": " + name + "()");
  // What has none would be no, without a word.
  const answerOf = (value, name) => {
    if (typeof value[name] !== "boolean") throw noMethod(name);
    return value[name];
  };
  const mapMethods = {
    keys: ofMaps((map) => keys(map).sort()),
    values: ofMaps((map) => keys(map).sort().map((name) => map[name])),
    contains: ofMaps(hasOwn),
    is_empty: (value) => (isMap(value) ? keys(value).length === 0 : answerOf(value, "is_empty")),
    is_odd: (value) => answerOf(value, "is_odd"),
    is_even: (value) => answerOf(value, "is_even"),
    is_zero: (value) => answerOf(value, "is_zero"),
    clear: ofMaps(clear),
    mixin: ofMaps(mixin),
    type_of: typeOf,
    get: ofMaps((map, name) => (hasOwn(map, name) ? map[name] : null)),
    set: ofMaps((map, name, value) => { put(map, name, value); }),
    fill_with: ofMaps((map, other) => {
      for (const name of keys(other)) if (!hasOwn(map, name)) put(map, name, copied(other[name]));
    }),
  };
  for (const name of keys(mapMethods))
    give(Object.prototype, {
      [name + "()"](...given) {
        const own = this[name];
        return typeof own === "function" ? own.apply(this, given) : mapMethods[name](this, ...given);
      },
    });
  const changes = {
    __proto__: null,
    trim: (text) => text.trim(),
    replace: (text, part, by) =>
      typeof part === typeof by ? text.replaceAll(part, () => by) : text.replace(part, by),
    make_upper: (text) => text.toUpperCase(),
    make_lower: (text) => text.toLowerCase(),
    crop: textPart,
    truncate: (text, length) => textPart(text, 0, length),
    pad: (text, length, by) => {
      const missing = length - charactersOf(text).length;
      return missing > 0 ? textPart(text + by.repeat(missing), 0, length) : text;
    },
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
  const range = (from, end, step = 1) => {
    if (step === 0 || step !== step) throw new RangeError("a range goes on in steps");
    const [first, last] = end === undefined ? [0, from] : [from, end];
    const list = [];
    for (let at = first; step > 0 ? at < last : at > last; at += step) list[list.length] = at;
    return list;
  };
  const added = (one, other) => {
    if (typeof one === "string") return one + (other ?? "");
    if (typeof other === "string") return (one ?? "") + other;
    if (isArray(one) && isArray(other)) {
      const list = [];
      list.append(one);
      list.append(other);
      return list;
    }
    return isMap(one) && isMap(other) ? mixin(mixin({}, one), other) : one + other;
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
        get() {
          const whole = typeof this === "string" ? charactersOf(this) : this;
          return whole[of(whole)];
        },
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
      const own = value?.[name];
      if (typeof own !== "function" && !(hidden in Object(value))) throw noMethod(name);
      return value[typeof own === "function" ? name : hidden](...given);
    },
    $sum(one, other) {
      if (isArray(one)) one.append(isArray(other) ? other : [other]);
      else if (isMap(one) && isMap(other)) mixin(one, other);
      else return added(one, other);
      return one;
    },
    $add: (first, ...others) => others.reduce(added, first),
    $text: (value) => value ?? "",
    $copy: copied,
    // There they are called by that method.
    $closure: (act) => defineProperty(act, "call", { value: act }),
    $each: (list) => (isArray(list) ? list.slice() : list),
    *$counted(list) {
      let count = 0;
      for (const item of helpers.$each(list)) yield [item, count++];
    },
    $range: (from, end) => range(from, end, 1),
    range,
    type_of: typeOf,
    print() {},
    debug() {},
  };
`;
