// Filters that the template engine has, but that work differently in the peer, where templates come from.
// Used by liquid.ts, liquiddates.ts and liquidoperators.ts.
import {
  type Context,
  Drop,
  defaultOperators,
  type FilterImplOptions,
  filters,
  TokenKind,
  toValue,
  toValueSync,
} from "liquidjs";
import { compareBytes } from "../core/bytes.ts";
import { DECIMAL } from "../decimals.ts";
import { written } from "./written.ts";

export type Filter = Extract<FilterImplOptions, (...values: never[]) => unknown>;
type FilterCall = ThisParameterType<Filter>;
type Members = Record<string, unknown>;

/** By their names. */
export const LIQUID_FILTERS: Readonly<Record<string, Filter>> = allCounted({
  capitalize(value) {
    return textOf(this, value).replace(/^./su, (first) => first.toUpperCase());
  },
  escape(value) {
    return textOf(this, value).replace(/[&<>"']/g, escaped);
  },
  escape_once(value) {
    return textOf(this, value).replace(/&(?!(?:lt|gt|#39|quot|amp);)|[<>"']/g, escaped);
  },
  size(value) {
    if (Array.isArray(value)) return value.length;
    return isObject(value) ? Object.keys(value).length : Buffer.byteLength(textOf(this, value));
  },
  first(value) {
    if (Array.isArray(value)) return value[0] ?? null;
    return isObject(value) ? null : characterOf(/^./su, value);
  },
  last(value) {
    if (Array.isArray(value)) return value.at(-1) ?? null;
    return isObject(value) ? null : characterOf(/.$/su, value);
  },
  split(value, separator) {
    const [text, between] = [textOf(this, value), written(toValue(separator))];
    return text === "" ? [] : between === "" ? [...text] : text.split(between);
  },
  newline_to_br(value) {
    return textOf(this, value).replaceAll("\n", "<br />\n");
  },
  strip_html(value) {
    return withoutMarkup(textOf(this, value));
  },
  join(value, separator) {
    if (!Array.isArray(value)) return value;
    const between = written(toValue(separator) ?? " ");
    this.context.memoryLimit.use(value.length * between.length);
    return value.map((item: unknown) => textOf(this, item ?? null)).join(between);
  },
  url_decode(value) {
    return textOf(this, value).replaceAll("+", " ").replace(ENCODED, decodeURIComponent);
  },
  url_encode(value) {
    return encodeURIComponent(textOf(this, value)).replace(/[!'()*~]/g, percentEncoded);
  },
  truncate(value, most = 50, ellipsis = "...") {
    const [text, end, bytesMax] = [textOf(this, value), written(toValue(ellipsis)), numberOf(toValue(most))];
    if (bytesMax < 0 || Buffer.byteLength(text) <= bytesMax) return value;
    return beginning(text, bytesMax - Buffer.byteLength(end)) + end;
  },
  truncatewords(value, most = 50, ellipsis = "...") {
    const words = textOf(this, value).split(" ");
    this.context.memoryLimit.use(words.length);
    const isWhole = most < 0 || words.length <= most;
    return isWhole ? words.join(" ") : words.slice(0, most).join(" ") + written(ellipsis);
  },
  abs: (value) => Math.abs(numberOf(value)),
  ceil: (value) => Math.ceil(numberOf(value)),
  floor: (value) => Math.floor(numberOf(value)),
  round(value, places = 0) {
    return (filters.round as Filter).call(this, numberOf(value), numberOf(toValue(places)));
  },
  at_least: (value, least) => Math.max(numberOf(value), numberOf(toValue(least))),
  at_most: (value, most) => Math.min(numberOf(value), numberOf(toValue(most))),
  plus: arithmetic((left, right) => left + right),
  minus: arithmetic((left, right) => left - right),
  times: arithmetic((left, right) => left * right),
  divided_by: arithmetic((left, right) => left / divisor(right)),
  modulo: arithmetic((left, right) => left % divisor(right)),
  map: (value, name) => listOf(value).flatMap((item) => (has(item, name) ? [item[name]] : [])),
  where(value, name, target) {
    const list = isObject(value) ? [value] : listOf(value);
    if (!list.every(isObject)) return null;
    const wanted = (found: unknown) =>
      target === undefined ? found !== false && found !== null : equals(found, target, this.context);
    return list.filter((item) => has(item, name) && wanted(item[name]));
  },
  compact(value, name) {
    const list = listOf(value);
    if (name === undefined) return list.filter((item) => item !== null);
    return objectsIn(list).filter((item) => has(item, name) && item[name] !== null);
  },
  sort: (value, name) => sorted(value, name, (key) => key),
  sort_natural(value, name) {
    return sorted(value, name, (key) => (key === null ? null : textOf(this, key).toLowerCase()));
  },
});

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Drop);
}

/** Counts the arguments of a filter against the memory bound, as the engine does for its own. */
function allCounted(filters: Record<string, Filter>): Record<string, Filter> {
  const counted = (filter: Filter): Filter =>
    function (value, ...options) {
      const plain: unknown = toValue(value) ?? null;
      this.context.memoryLimit.use(Array.isArray(plain) || typeof plain === "string" ? plain.length : 1);
      return filter.call(this, plain, ...options);
    };
  return Object.fromEntries(Object.entries(filters).map(([name, filter]) => [name, counted(filter)]));
}

/** A value as text, which counts as well: a list may hold a long one many times. */
function textOf({ context }: FilterCall, value: unknown): string {
  const text = written(value);
  context.memoryLimit.use(text.length);
  return text;
}

/** Bytes: a percent sign that introduces none stands for itself. */
const ENCODED = /(?:%[\da-f]{2})+/gi;

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Without tags, comments, scripts and styles; what is not closed stays. In time that grows with the text. */
function withoutMarkup(text: string): string {
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const closers = new Map([
    ["<script", "</script>"],
    ["<style", "</style>"],
    ["<!--", "-->"],
    ["<", ">"],
  ]);
  let kept = "";
  let at = 0;
  for (let start = lower.indexOf("<"); start >= 0; start = lower.indexOf("<", at)) {
    const before = at;
    for (const [opener, closer] of closers) {
      if (!lower.startsWith(opener, start)) continue;
      const end = lower.indexOf(closer, start + opener.length);
      if (end >= 0) {
        kept += text.slice(at, start);
        at = end + closer.length;
        break;
      }
      // None further on is closed, either.
      closers.delete(opener);
    }
    if (at === before) break;
  }
  return kept + text.slice(at);
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function characterOf(pattern: RegExp, value: unknown): string {
  return pattern.exec(written(value))?.[0] ?? "";
}

/** The first characters as readers see them. */
function beginning(text: string, count: number): string {
  // The usual case, without the work of cutting out each character.
  if (/^[ -~]*$/.test(text.slice(0, count + 1))) return text.slice(0, Math.max(0, count));
  let end = 0;
  let left = count;
  for (let size = PIECE_LENGTH; left > 0 && end < text.length; ) {
    const piece = text.slice(end, end + size);
    const isLast = end + size >= text.length;
    let taken = 0;
    for (const { index, segment } of CHARACTERS.segment(piece)) {
      const next = index + segment.length;
      // It may go on behind the piece, whose end may be half of a pair of surrogates.
      if (left === 0 || (!isLast && next > piece.length - 2)) break;
      taken = next;
      left--;
    }
    end += taken;
    size = taken === 0 ? 2 * size : PIECE_LENGTH;
  }
  return text.slice(0, end);
}

const CHARACTERS = new Intl.Segmenter("en");
/** Each character costs the segmenter time that grows with the text. */
const PIECE_LENGTH = 1_000;

function escaped(character: string): string {
  return ESCAPES[character];
}

/**
 * Integers stay integers unless the operand is written with a point. A float without a fraction counts as an
 * integer, as JavaScript cannot tell them apart.
 */
function arithmetic(calculate: (left: number, right: number) => number): Filter {
  return function (value, operand) {
    const [left, right] = [numberOf(value), numberOf(toValue(operand))];
    const result = calculate(left, right);
    const [token] = this.token.args;
    const isFloat = !Array.isArray(token) && token.kind === TokenKind.Number && token.getText().includes(".");
    return Number.isInteger(left) && Number.isInteger(right) && !isFloat ? Math.trunc(result) : result;
  };
}

function divisor(right: number): number {
  if (right === 0) throw new Error("it divides by 0");
  return right;
}

function numberOf(value: unknown): number {
  if (typeof value === "number" || (typeof value === "string" && DECIMAL.test(value))) return Number(value);
  throw new Error(`it calculates with \`${written(value)}\``);
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`a filter for arrays is given \`${written(value)}\``);
}

function objectsIn(list: unknown[]): Members[] {
  if (list.every(isObject)) return list;
  throw new Error("a filter looks for a field in what is no object");
}

function has(item: unknown, name: string): item is Members {
  return isObject(item) && Object.hasOwn(item, name);
}

function equals(left: unknown, right: unknown, context: Context): boolean {
  return toValueSync(defaultOperators["=="](left, right, context) as Generator) as boolean;
}

/** Null, and elements without the field, come last; what cannot be compared keeps its place. */
function sorted(value: unknown, name: string | undefined, keyOf: (key: unknown) => unknown): unknown[] {
  const list = value === null ? [] : Array.isArray(value) ? value : [value];
  const keys =
    name === undefined ? list : objectsIn(list).map((item) => (has(item, name) ? item[name] : null));
  const keyed = list.map((item, i) => ({ item, key: keyOf(toValue(keys[i])) }));
  return keyed.sort((one, other) => compared(one.key, other.key)).map(({ item }) => item);
}

function compared(one: unknown, other: unknown): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  if (typeof one === "string" && typeof other === "string") return compareBytes(one, other);
  if (typeof one !== typeof other || typeof one === "object") return 0;
  return Number(one) - Number(other);
}
