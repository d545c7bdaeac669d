// The kinds of launch options: each function makes a row of the table in options.ts. A row knows how to read
// its value from a text, whether that came from the command line, the environment or a config file.
import { isIP } from "node:net";
import { parseSize } from "./sizes.ts";

export interface OptionRow<Value> {
  readonly help: string;
  readonly fallback: () => Value;
  /** In words, where the machine decides about it; else null. */
  readonly fallbackRule: string | null;
  /** Undefined for a text that is not allowed. */
  readonly parse: (text: string) => Value | undefined;
  /** What `parse` accepts, for messages: `a size such as 100 MB`. */
  readonly allowed: string;
  /** Stands for the value in --help; empty for flags, which take no value on the command line. */
  readonly placeholder: string;
  /** Value of the option when it is given without one; null: a value is required. */
  readonly bare: string | null;
  /** Other names on the command line with the same meaning. */
  readonly aliases: readonly string[];
  /** Refused in config files: it is meant for one launch and must not be repeated at the next. */
  readonly launchOnly: boolean;
}

/** What a row may have besides its kind. */
type Extras = Partial<Pick<OptionRow<unknown>, "aliases" | "launchOnly" | "bare" | "fallbackRule">>;

export function text(fallback: string, placeholder: string, help: string): OptionRow<string> {
  return { ...PLAIN, help, fallback: () => fallback, parse: notEmpty, allowed: SOME_TEXT, placeholder };
}

/** `HOST:PORT`; an IPv6 host stands in brackets, an empty one means every address. */
export function address(fallback: string, help: string): OptionRow<string> {
  const parse = (given: string) => {
    const port = /^(?:[^:\s]*|\[[\da-f:.]+\]):(\d{1,5})$/i.exec(given)?.[1];
    return port !== undefined && Number(port) <= PORT_MAX ? given : undefined;
  };
  return {
    ...PLAIN,
    help,
    fallback: () => fallback,
    parse,
    allowed: "HOST:PORT (a port from 0 to 65535)",
    placeholder: "HOST:PORT",
  };
}

/** A text that is null unless given. */
export function optional(placeholder: string, help: string, extras: Extras = {}): OptionRow<string | null> {
  return {
    ...PLAIN,
    help,
    fallback: () => null,
    parse: notEmpty,
    allowed: SOME_TEXT,
    placeholder,
    ...extras,
  };
}

/** A file that an empty text leaves away, as container descriptions have it that list every option. */
export function optionalFile(help: string): OptionRow<string | null> {
  const parse = (given: string) => (given === "" ? null : given);
  return { ...optional("FILE", help), parse, allowed: "a file, or nothing" };
}

export function flag(help: string, extras: Extras = {}): OptionRow<boolean> {
  const parse = (given: string) => SWITCH_VALUES.get(given.toLowerCase());
  const allowed = "true or false";
  return { ...PLAIN, help, fallback: () => false, parse, allowed, placeholder: "", bare: "true", ...extras };
}

/** One of a few words, in any case. */
export function choice<const Words extends readonly string[]>(
  words: Words,
  fallback: Words[number],
  help: string,
): OptionRow<Words[number]> {
  const parse = (given: string): Words[number] | undefined =>
    words.find((word) => word === given.toLowerCase());
  const allowed = `one of ${words.join(", ")}`;
  return { ...PLAIN, help, fallback: () => fallback, parse, allowed, placeholder: words.join("|") };
}

/** A comma list of a few words, in any case. */
export function choices<const Words extends readonly string[]>(
  words: Words,
  help: string,
): OptionRow<readonly Words[number][]> {
  const parse = (given: string) => {
    const list = given.split(",").map((item) => item.trim().toLowerCase());
    return list.every((item): item is Words[number] => words.includes(item)) ? list : undefined;
  };
  const allowed = `a list of ${words.join(", ")}, separated by commas`;
  return { ...PLAIN, help, fallback: () => [], parse, allowed, placeholder: "LIST" };
}

/** An integer from `least` to `most`, both allowed. */
export function count<Fallback extends number | null>(
  least: number,
  most: number,
  fallback: () => Fallback,
  help: string,
  extras: Extras = {},
): OptionRow<number | Fallback> {
  const parse = (given: string) => {
    const value = /^\s*\d+\s*$/.test(given) ? Number(given) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  };
  const allowed = `an integer from ${least} to ${most}`;
  return { ...PLAIN, help, fallback, parse, allowed, placeholder: "N", ...extras };
}

/** A number, or `unlimited`, which means the default. */
export function orUnlimited(row: OptionRow<number>): OptionRow<number> {
  const parse = (given: string) => (/^\s*unlimited\s*$/i.test(given) ? row.fallback() : row.parse(given));
  return { ...row, parse, allowed: `${row.allowed}, or unlimited` };
}

/** Bytes, written with or without a unit; zero is refused. */
export function size<Fallback extends number | null>(
  fallback: () => Fallback,
  help: string,
  extras: Extras = {},
): OptionRow<number | Fallback> {
  const parse = (given: string) => parseSize(given) || undefined;
  const allowed = "a size such as 200MiB, 100 MB or 4096";
  return { ...PLAIN, help, fallback, parse, allowed, placeholder: "SIZE", ...extras };
}

/** A size that may also be zero. */
export function orZero<Fallback extends number | null>(
  row: OptionRow<number | Fallback>,
): OptionRow<number | Fallback> {
  const parse = (given: string) => (parseSize(given) === 0 ? 0 : row.parse(given));
  return { ...row, parse, allowed: `${row.allowed}, or 0` };
}

/** A comma list of networks in CIDR notation, or `any`. */
export function networks(help: string): OptionRow<readonly string[]> {
  const parse = (given: string) => {
    const list = given.split(",").map((item) => item.trim());
    return list.every(isNetwork) ? list : undefined;
  };
  const allowed = "`any`, or networks such as 10.0.0.0/8 or fd00::/8, separated by commas";
  return { ...PLAIN, help, fallback: () => [], parse, allowed, placeholder: "LIST" };
}

const PLAIN = { bare: null, aliases: [], launchOnly: false, fallbackRule: null } as const;
/** Container descriptions often say `MEILI_NO_ANALYTICS=1`. */
const SWITCH_VALUES = new Map([
  ["true", true],
  ["false", false],
  ["1", true],
  ["0", false],
]);
const PORT_MAX = 65_535;
const SOME_TEXT = "a text that is not empty";

function notEmpty(given: string): string | undefined {
  return given === "" ? undefined : given;
}

function isNetwork(item: string): boolean {
  if (item === "any") return true;
  const [address, bits, rest] = item.split("/");
  const version = isIP(address);
  if (version === 0 || rest !== undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
