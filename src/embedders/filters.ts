// Filters that the engine of the templates has, too, but that do something else in the peer's: templates come
// from there. Used by liquid.ts.
import { type Context, Drop, defaultOperators, type FilterImplOptions, toValue, toValueSync } from "liquidjs";
import { byteLength } from "./texts.ts";
import { written } from "./written.ts";

type Filter = Extract<FilterImplOptions, (...values: never[]) => unknown>;
type Members = Record<string, unknown>;

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (character: string): string => ESCAPES[character];

const filters: Record<string, Filter> = {
  capitalize: (value) => written(value).replace(/^./su, (first) => first.toUpperCase()),
  escape: (value) => written(value).replace(/[&<>"']/g, escaped),
  escape_once: (value) => written(value).replace(/&(?!(?:lt|gt|#39|quot|amp);)|[<>"']/g, escaped),
  size: sizeOf,
  truncatewords(value, most = 50, ellipsis = "...") {
    const words = written(value).split(" ");
    const isWhole = most < 0 || words.length <= most;
    return isWhole ? words.join(" ") : words.slice(0, most).join(" ") + written(ellipsis);
  },
  plus: arithmetic(
    (left, right) => left + right,
    (left, right) => left + right,
  ),
  minus: arithmetic(
    (left, right) => left - right,
    (left, right) => left - right,
  ),
  times: arithmetic(
    (left, right) => left * right,
    (left, right) => left * right,
  ),
  divided_by: arithmetic(
    (left, right) => left / divisor(right),
    (left, right) => left / divisor(right),
  ),
  modulo: arithmetic(
    (left, right) => left % divisor(right),
    (left, right) => left % divisor(right),
  ),
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
  sort_natural: (value, name) =>
    sorted(value, name, (key) => (key === null ? null : written(key).toLowerCase())),
};

/** By their names. */
export const FILTERS = Object.fromEntries(
  Object.entries(filters).map(([name, filter]) => [name, counted(filter)]),
);

/** Elements of a list, members of an object, bytes of everything else. */
export function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : byteLength(written(value));
}

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Drop);
}

/** What a filter is given counts against the memory, as with those of the engine. */
function counted(filter: Filter): Filter {
  return function (value, ...options) {
    const plain: unknown = toValue(value) ?? null;
    this.context.memoryLimit.use(Array.isArray(plain) || typeof plain === "string" ? plain.length : 1);
    return filter.call(this, plain, ...options);
  };
}

/** Integers have 64 bits and stay integers, unless the operand is written with a point. */
function arithmetic(
  whole: (left: bigint, right: bigint) => bigint,
  broken: (left: number, right: number) => number,
): Filter {
  return function (value, operand) {
    const [left, right] = [numberOf(value), numberOf(toValue(operand))];
    const [token] = this.token.args;
    const isPoint = typeof operand === "number" && !Array.isArray(token) && token.getText().includes(".");
    if (typeof left !== "bigint" || typeof right !== "bigint" || isPoint)
      return broken(Number(left), Number(right));
    const result = BigInt.asIntN(64, whole(left, right));
    return Number.isSafeInteger(Number(result)) ? Number(result) : result;
  };
}

function divisor<T extends number | bigint>(right: T): T {
  if (Number(right) === 0) throw new Error("it divides by 0");
  return right;
}

function numberOf(value: unknown): number | bigint {
  const isText = typeof value === "string";
  if (typeof value === "bigint" || Number.isSafeInteger(value) || (isText && INTEGER.test(value))) {
    const integer = BigInt(value as bigint);
    return BigInt.asIntN(64, integer) === integer ? integer : Number(integer);
  }
  if (typeof value === "number" || (isText && DECIMAL.test(value))) return Number(value);
  throw new Error(`it calculates with \`${written(value)}\``);
}

const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

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

/** Null, and what lacks the field, comes last; what cannot be compared stays as it is. */
function sorted(value: unknown, name: string | undefined, keyOf: (key: unknown) => unknown): unknown[] {
  const list = value === null ? [] : Array.isArray(value) ? value : [value];
  const keys =
    name === undefined ? list : objectsIn(list).map((item) => (has(item, name) ? item[name] : null));
  const keyed = list.map((item, i) => ({ item, key: keyOf(keys[i]) }));
  return keyed.sort((one, other) => compared(one.key, other.key)).map(({ item }) => item);
}

function compared(one: unknown, other: unknown): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  if (kindOf(one) !== kindOf(other) || kindOf(one) === "object") return 0;
  const [left, right] = [one as string, other as string];
  return left < right ? -1 : Number(left > right);
}

const kindOf = (value: unknown): string => (typeof value === "bigint" ? "number" : typeof value);
