// The program that runs in the sandbox before and around an edit function, as JavaScript text. Called by
// editfunction.ts.
import { HELPERS } from "./helpers.ts";
import { METHODS } from "./methods.ts";

/**
 * A function of (source, context as JSON). It compiles the source and returns a function that edits
 * documents: given a JSON array of them, it returns as JSON one outcome for each, or what went wrong and at
 * which document:
 *
 *   [outcome, ...]            0: as it was, 1: to be deleted, or the fields that the document has now:
 *                             name as it was, [name, value] changed or new
 *   {at: 3, reason: "..."}    the fourth document
 */
export const EDITOR = `(() => {
  "use strict";
  const { parse, stringify } = JSON;
  const { keys, freeze, getPrototypeOf, defineProperty, values } = Object;
  const { isArray } = Array;
  const { isFinite } = Number;
  const Compile = Function;
  const Text = String;
  // What stands before the source, below two lines that Function writes.
  const FRONT = '"use strict";\\n(() => {\\n';
  const LINES_BEFORE = 4;
  const NO_FUNCTION = "not a function";

  const give = (target, methods) => {
    for (const name of keys(methods))
      defineProperty(target, name, { value: methods[name], configurable: true, writable: true });
  };
  give(Object.prototype, {
    "len()"() {
      if (typeof this === "object" && !isArray(this)) return keys(this).length;
      if (this.len === undefined) throw noMethod("len");
      return this.len;
    },
    "remove()"(...given) {
      if (typeof this.remove === "function") return this.remove(...given);
      const [name] = given;
      // JavaScript takes a place before the first item for that of the first.
      if (isArray(this)) return name < -this.length ? undefined : this.splice(name, 1)[0];
      const value = this[name];
      delete this[name];
      return value;
    },
    to_string() { return typeof this === "object" ? stringify(this) : Text(this); },
  });
  // A method whose () were forgotten: its source would become the field's text, or the field would be gone.
  const noValue = () => { throw new TypeError("a function is no value: () may be missing behind its name"); };
  give(Function.prototype, { toString: noValue, toJSON: noValue });
  // Lists and maps are no part of sums: a list and a text would be a text, in place of the list. Where a
  // number is wanted they are none, so orders are false. A sum asks for the same as the operator ==: what it
  // gets is equal to nothing, and fails in sums.
  const noPrimitive = Symbol();
  const { valueOf, toString: mapText } = Object.prototype;
  const { toString: listText } = Array.prototype;
  const isMap = (value) => {
    if (typeof value !== "object" || value === null || isArray(value)) return false;
    const prototype = getPrototypeOf(value);
    return prototype === null || prototype === Object.prototype;
  };
  const isWhole = (value) =>
    value.valueOf === valueOf &&
    (isArray(value) ? value.toString === listText : isMap(value) && value.toString === mapText);
  defineProperty(Object.prototype, Symbol.toPrimitive, {
    value(hint) {
      if (hint !== "string" && isWhole(this)) return hint === "number" ? NaN : primitiveOf(this);
      const value = hint === "string" ? this : this.valueOf();
      return typeof value === "object" || typeof value === "function" ? this.toString() : value;
    },
    writable: true,
  });
${METHODS}
${HELPERS}

  const frozen = (value) => {
    if (typeof value !== "object" || value === null) return value;
    for (const inner of values(value)) frozen(inner);
    return freeze(value);
  };

  // In JSON they would be null: what went wrong in a sum is not to take the place of a number.
  const checkNumbers = (value, path) => {
    if (typeof value === "number" && !isFinite(value))
      throw new RangeError("doc." + path + " would be " + value);
    if (typeof value !== "object" || value === null) return;
    const isPlain = isArray(value) || isMap(value);
    if (!isPlain && stringify(value) === "null") throw new RangeError("doc." + path + " would be null");
    for (const name of keys(value)) checkNumbers(value[name], path + "." + name);
  };

  // Names are told apart by their UTF-8, which has no halves of surrogate pairs.
  const loneHalf = /[\\ud800-\\udfff]/u;
  const checkName = (name) => {
    if (loneHalf.test(name)) throw new RangeError("a field name holds half of a surrogate pair");
  };

  // As in payloads: UTF-8 has no halves, and most clients refuse their escapes.
  const withoutHalves = (_, value) =>
    typeof value === "string" ? value.replace(/[\\ud800-\\udfff]/gu, "\\ufffd") : value;

  const checkNames = (value) => {
    if (typeof value !== "object" || value === null) return;
    for (const name of keys(value)) {
      if (!isArray(value)) checkName(name);
      checkNames(value[name]);
    }
  };

  // Most fields stay as they were: only of lists, maps and the like, which a function may change inside, the
  // JSON is kept to compare.
  const isSimple = (value) =>
    typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && isFinite(value));

  const fieldsBefore = (doc) => {
    const names = keys(doc);
    const simple = { __proto__: null };
    const texts = { __proto__: null };
    for (const name of names) {
      const value = doc[name];
      if (isSimple(value)) simple[name] = value;
      else texts[name] = stringify(value);
    }
    return { count: names.length, simple, texts };
  };

  const fieldsAfter = (after, { count, simple, texts }) => {
    const fields = [];
    let same = 0;
    for (const name of keys(after)) {
      let value = after[name];
      const before = simple[name];
      if (before !== undefined && before === value) {
        same++;
        fields[fields.length] = name;
        continue;
      }
      const text = stringify(value);
      if (text === undefined) continue;
      if (text.includes("null")) checkNumbers(value, name);
      const old = before === undefined ? texts[name] : stringify(before);
      if (old === undefined) checkName(name);
      const isSame = old === text;
      if (isSame) same++;
      else if (text.includes("\\\\ud")) {
        value = parse(text, withoutHalves);
        checkNames(value);
      }
      fields[fields.length] = isSame ? name : [name, value];
    }
    return same === fields.length && same === count ? 0 : fields;
  };

  // QuickJS does not say what is no function; its stack tells where the call stands, in characters.
  const calledAt = (stack, source, message) => {
    const [frames, line, column] = /^[^]*?\\(<input>:(\\d+):(\\d+)\\)/.exec(stack) ?? [];
    if (frames === undefined) return "";
    const place = " in line " + (line - LINES_BEFORE);
    const characters = Array.from(source.split("\\n")[line - LINES_BEFORE - 1] ?? "");
    const before = characters.slice(0, column - 1).join("");
    const [, name] = /([\\p{L}\\p{M}\\p{N}_$]+)(?:\\(\\)"\\])?$/u.exec(before) ?? [];
    if (message !== NO_FUNCTION || name === undefined) return place;
    return ": " + (frames.includes("\\n") ? "what " + name + "() was given" : name + "()") + place;
  };

  const reasonOf = (error, source) => {
    if (!(error instanceof Error)) return "thrown: " + stringify(error);
    const message = Text(error.message);
    // The words of QuickJS.
    const isSum = message.startsWith("cannot convert symbol to ");
    if (isSum) return error.name + ": lists, objects and symbols are no part of sums";
    const isCall = message.startsWith(NO_FUNCTION);
    return error.name + ": " + message + (isCall ? calledAt(Text(error.stack), source, message) : "");
  };

  return (source, context) => {
    // As if it were not there, when it was not given.
    const given = frozen(parse(context)) ?? undefined;
    // What closes the function around it harms only itself.
    const body = FRONT + source + '\\n})();\\nreturn doc;';
    const edit = Compile("doc", "context", ...keys(helpers), body);
    const help = values(helpers);
    return (documents) => {
      const outcomes = [];
      for (const doc of parse(documents)) {
        try {
          const before = fieldsBefore(doc);
          const after = edit(doc, given, ...help);
          if (after !== null && !isMap(after))
            throw new TypeError("doc must stay an object, or become null to be deleted");
          outcomes[outcomes.length] = after === null ? 1 : fieldsAfter(after, before);
        } catch (error) {
          return stringify({ at: outcomes.length, reason: reasonOf(error, source) });
        }
      }
      return stringify(outcomes);
    };
  };
})()`;
