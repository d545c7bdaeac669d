// The arguments of a call that a message cannot carry as they are: the frameworks of pages wrap data in
// proxies, which are copied; what is no data is refused by its place. Called by remoteoperations.ts.
import { TarsierError } from "../errors.ts";
import { foundIn } from "../schemas/phrases.ts";

/** @throws TarsierError `bad_request` for functions and symbols */
export function copiedArguments(given: readonly unknown[]): unknown[] {
  return given.map((argument) => copied(argument, ""));
}

function copied(value: unknown, place: string): unknown {
  if (typeof value === "function" || typeof value === "symbol") throw noData(value, place);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((inner, at) => copied(inner, `${place}[${at}]`));
  if (!isPlain(value) && canBeSent(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, copied(inner, `${place}.${name}`)]),
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function canBeSent(value: object): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

function noData(value: unknown, place: string): TarsierError {
  const where = place === "" ? "The body" : `Field \`${place}\``;
  return new TarsierError("bad_request", { message: `${where}: expected data, but found ${foundIn(value)}` });
}
