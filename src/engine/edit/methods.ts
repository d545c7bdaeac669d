// Methods of texts, lists and numbers that edit functions know from Rhai, as a part of the program in
// prelude.ts.

/** Uses the names declared there and in helpers.ts; declares those used there. */
export const METHODS = `
  // What is one character there is two here, when it is a pair of surrogates: no method of Rhai cuts one.
  const hasPairs = /[\\ud800-\\udbff]/;
  const charactersOf = (text) => (hasPairs.test(text) ? Array.from(text) : text);
  const placeFrom = (length, at) => (at < 0 ? Math.max(0, length + at) : at);
  const part = (whole, from, count = whole.length) => {
    const at = placeFrom(whole.length, from);
    return whole.slice(at, at + Math.max(0, count));
  };
  const textPart = (text, from, count) => {
    // No character has more than two halves.
    const first = from >= 0 && count >= 0 ? text.slice(0, 2 * (from + count)) : text;
    const found = part(charactersOf(first), from, count);
    return isArray(found) ? found.join("") : found;
  };
  const digits = "0123456789abcdefghijklmnopqrstuvwxyz";
  const wholeNumber = (base) => new RegExp("^[+-]?[" + digits.slice(0, base) + "]+$", "i");
  const decimalNumber = /^[+-]?(\\d+\\.?\\d*|\\.\\d+)(e[+-]?\\d+)?$/i;
  const parsed = (text, form, value, bound) => {
    if (typeof text === "number") return value;
    if (typeof text !== "string" || !form.test(text.trim()) || value !== value || Math.abs(value) > bound)
      throw new RangeError(stringify(text) + " is no number of that kind");
    return value;
  };
  const numbers = {
    parse_int: (text, base = 10) => parsed(text, wholeNumber(base), parseInt(text, base), 2 ** 63),
    parse_float: (text) => parsed(text, decimalNumber, parseFloat(text), Infinity),
  };
  const properties = (prototype, read) => {
    for (const name of keys(read))
      defineProperty(prototype, name, { get() { return read[name](this); }, configurable: true });
  };
  properties(String.prototype, {
    len: (text) => charactersOf(text).length,
    is_empty: (text) => text.length === 0,
  });
  properties(Array.prototype, {
    len: (list) => list.length,
    is_empty: (list) => list.length === 0,
  });
  properties(Number.prototype, {
    is_odd: (number) => number % 2 !== 0,
    is_even: (number) => number % 2 === 0,
    is_zero: (number) => number === 0,
  });
  const { split, indexOf } = String.prototype;
  const { sort } = Array.prototype;
  const call = (method, whole, ...given) => Reflect.apply(method, whole, given);
  give(String.prototype, {
    to_upper() { return this.toUpperCase(); },
    to_lower() { return this.toLowerCase(); },
    contains(wanted) { return this.includes(wanted); },
    starts_with(wanted) { return this.startsWith(wanted); },
    ends_with(wanted) { return this.endsWith(wanted); },
    to_int() { return parseInt(this, 10); },
    to_float() { return parseFloat(this); },
    parse_int(base) { return numbers.parse_int(Text(this), base); },
    parse_float() { return numbers.parse_float(Text(this)); },
    chars() { return Array.from(this); },
    index_of(wanted, from = 0) {
      if (!hasPairs.test(this)) return call(indexOf, this, wanted, placeFrom(this.length, from));
      const before = textPart(this, 0, placeFrom(charactersOf(this).length, from));
      const at = call(indexOf, this, wanted, before.length);
      return at < 0 ? at : charactersOf(this.slice(0, at)).length;
    },
    sub_string(from, count) { return textPart(this, from, count); },
    split(by, ...given) {
      if (by === undefined) return this.match(/\\S+/g) ?? (this.length === 0 ? [""] : []);
      if (typeof by !== "number") return call(split, this, by, ...given);
      const first = textPart(this, 0, placeFrom(charactersOf(this).length, by));
      return [first, this.slice(first.length)];
    },
  });
  const taken = (list, isTaken) => {
    const others = [];
    const found = [];
    for (let at = 0; at < list.length; at++) {
      const target = isTaken(list[at], at) ? found : others;
      target[target.length] = list[at];
    }
    list.length = 0;
    list.append(others);
    return found;
  };
  give(Array.prototype, {
    contains(item) { return placeOf(this, item) >= 0; },
    index_of(item, from = 0) { return placeOf(this, item, placeFrom(this.length, from)); },
    insert(at, item) { this.splice(at, 0, item); },
    append(list) {
      const { length } = list;
      for (let at = 0; at < length; at++) this[this.length] = list[at];
    },
    clear() { this.length = 0; },
    truncate(length) { if (length < this.length) this.length = length < 0 ? 0 : length; },
    chop(length) { this.splice(0, this.length - length); },
    pad(length, item) { while (this.length < length) this[this.length] = copied(item); },
    extract(from, count) { return part(this, from, count); },
    all(test) { return this.every(test); },
    for_each(act) { this.forEach(act); },
    drain(test) { return taken(this, test); },
    retain(test) { return taken(this, (item, at) => !test(item, at)); },
    dedup() { taken(this, (item, at) => at > 0 && isSame(item, this[at - 1])); },
    // In JavaScript numbers are ordered as texts, and what is no number is no order.
    sort(order) {
      if (order === undefined) {
        const isOfNumbers = this.every((item) => typeof item === "number");
        return call(sort, this, isOfNumbers ? (a, b) => a - b : undefined);
      }
      return call(sort, this, (a, b) => {
        const found = order(a, b);
        return typeof found !== "boolean" ? found : found ? -1 : order(b, a) ? 1 : 0;
      });
    },
  });
  const ofNumbers = {
    to_int: (number) => Math.trunc(number),
    to_float: (number) => Number(number),
    floor: Math.floor,
    ceiling: Math.ceil,
    round: (number) => Math.sign(number) * Math.round(Math.abs(number)),
    abs: Math.abs,
  };
  for (const name of keys(ofNumbers)) give(Number.prototype, { [name]() { return ofNumbers[name](this); } });
  give(globalThis, { ...ofNumbers, ...numbers, max: Math.max, min: Math.min, parse_json: parse });
`;
