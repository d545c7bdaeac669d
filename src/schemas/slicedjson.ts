// JSON.parse for texts of many megabytes: the same values, made in slices with pauses for other requests, and
// with bounds on how much a text may hold. Half of a surrogate pair becomes U+FFFD, as in documents
// (src/ingest/json-lines.ts): most clients could not read an answer that shows it. Called for bodies of
// requests (src/http/bodyjson.ts) and answers of other servers (src/network/answerjson.ts).
import { Slices } from "../slices.ts";
import { type IdPlace, idOf } from "./exactids.ts";

/** Shorter texts are parsed at once. */
export const SLICED_LEN_MIN = 128 * 1024;

export interface JsonBounds {
  /** Arrays and objects inside each other. */
  depthMax: number;
  /** Arrays and objects in total. */
  containersMax: number;
  /** Fields of one object. */
  membersMax: number;
  /** Values other than arrays, objects and texts: mostly numbers. */
  scalarsMax: number;
  textsMax: number;
}

/** The text is valid JSON, but exceeds a bound. */
export class JsonExcess extends Error {}

interface ParsedJson {
  value: unknown;
  containers: number;
}

/** `ids`: where the text has numbers that are ids (exactids.ts). @throws SyntaxError, JsonExcess */
export async function parseInSlices(
  text: string,
  bounds: JsonBounds,
  ids: IdPlace | null = null,
): Promise<ParsedJson> {
  const parser = new SlicedParser(text, bounds, ids);
  const slices = new Slices();
  while (!parser.advance(STEPS_PER_LOOK)) if (slices.isOver()) await slices.pause();
  return { value: parser.value, containers: parser.containers };
}

/** The same without pauses. @throws SyntaxError, JsonExcess */
export function parseAtOnce(text: string, bounds: JsonBounds, ids: IdPlace | null): unknown {
  const parser = new SlicedParser(text, bounds, ids);
  while (!parser.advance(STEPS_PER_LOOK));
  return parser.value;
}

/** Values between two looks at the clock. */
const STEPS_PER_LOOK = 512;

const NUMBER_OR_NAME = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SPACE = /[ \t\n\r]*/y;
/** Only halves of pairs: with the flag `u`, a pair is one character. */
const HALVES = /\p{Surrogate}/gu;

type Container = unknown[] | Record<string, unknown>;

interface Open {
  container: Container;
  /** Name of the member whose value comes next. */
  name: string;
  /** Number of members so far, if it is an object. */
  members: number;
}

class SlicedParser {
  readonly #text: string;
  readonly #bounds: JsonBounds;
  readonly #ids: IdPlace | null;
  /** Arrays and objects that are not closed yet, the innermost last. */
  readonly #open: Open[] = [];
  #at = 0;
  #scalars = 0;
  #texts = 0;
  value: unknown = undefined;
  containers = 0;

  constructor(text: string, bounds: JsonBounds, ids: IdPlace | null) {
    this.#text = text;
    this.#bounds = bounds;
    this.#ids = ids;
  }

  /** Reads this many values. True: that was the whole text. */
  advance(steps: number): boolean {
    for (let step = 0; step < steps; step++) if (this.#readValue() && this.#afterValue()) return true;
    return false;
  }

  /** False: it is a non-empty array or object, whose content comes next. */
  #readValue(): boolean {
    const first = this.#skipSpace();
    if (first === "[") return this.#begin([], "]");
    if (first === "{") return this.#begin({}, "}");
    this.#put(first === '"' ? this.#readText() : this.#readScalar());
    return true;
  }

  #begin(container: Container, close: string): boolean {
    const { depthMax, containersMax } = this.#bounds;
    if (this.#open.length > depthMax)
      throw new JsonExcess(`values are nested deeper than ${depthMax} levels`);
    if (++this.containers > containersMax)
      throw new JsonExcess(`it has more than ${containersMax} arrays and objects`);
    this.#at++;
    this.#put(container);
    if (this.#skipSpace() === close) {
      this.#at++;
      return true;
    }
    this.#open.push({ container, name: close === "}" ? this.#readName() : "", members: 1 });
    return false;
  }

  /** Moves to the beginning of the next value; true: there is none. */
  #afterValue(): boolean {
    for (;;) {
      const next = this.#skipSpace();
      if (this.#open.length === 0) {
        if (next !== "") throw new SyntaxError();
        return true;
      }
      const open = this.#open[this.#open.length - 1];
      const isArray = Array.isArray(open.container);
      this.#at++;
      if (next === ",") {
        if (!isArray) this.#nextMember(open);
        return false;
      }
      if (next !== (isArray ? "]" : "}")) throw new SyntaxError();
      this.#open.pop();
    }
  }

  #nextMember(open: Open): void {
    const { membersMax } = this.#bounds;
    if (++open.members > membersMax)
      throw new JsonExcess(`an object in it has more than ${membersMax} fields`);
    open.name = this.#readName();
  }

  #put(value: unknown): void {
    const open = this.#open[this.#open.length - 1];
    if (open === undefined) this.value = value;
    else if (Array.isArray(open.container)) open.container.push(value);
    else if (open.name !== "__proto__") open.container[open.name] = value;
    else
      Object.defineProperty(open.container, open.name, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
  }

  #readName(): string {
    if (this.#skipSpace() !== '"') throw new SyntaxError();
    const name = this.#readString();
    if (this.#skipSpace() !== ":") throw new SyntaxError();
    this.#at++;
    return name;
  }

  #readText(): string {
    const { textsMax } = this.#bounds;
    if (++this.#texts > textsMax) throw new JsonExcess(`it has more than ${textsMax} texts`);
    return this.#readString();
  }

  /** By JSON.parse, which makes a copy: a substring would keep the whole text in memory. */
  #readString(): string {
    const begin = this.#at;
    let end = begin;
    do end = this.#text.indexOf('"', end + 1);
    while (end !== -1 && this.#isEscaped(begin, end));
    if (end === -1) throw new SyntaxError();
    this.#at = end + 1;
    return JSON.parse(this.#text.slice(begin, end + 1)).replace(HALVES, "\ufffd");
  }

  #isEscaped(begin: number, at: number): boolean {
    let slashes = 0;
    while (at - slashes - 1 > begin && this.#text[at - slashes - 1] === "\\") slashes++;
    return slashes % 2 === 1;
  }

  #readScalar(): unknown {
    const { scalarsMax } = this.#bounds;
    if (++this.#scalars > scalarsMax) throw new JsonExcess(`it has more than ${scalarsMax} numbers`);
    NUMBER_OR_NAME.lastIndex = this.#at;
    if (!NUMBER_OR_NAME.test(this.#text)) throw new SyntaxError();
    const source = this.#text.slice(this.#at, NUMBER_OR_NAME.lastIndex);
    this.#at = NUMBER_OR_NAME.lastIndex;
    return this.#ids !== null && this.#isId() ? idOf(source, this.#ids) : JSON.parse(source);
  }

  /** Whether the next value stands where ids are. */
  #isId(): boolean {
    const [outer, inner] = this.#open;
    if (this.#open.length === 2) return this.#ids === outer.name && Array.isArray(inner.container);
    if (this.#open.length !== 1) return false;
    return Array.isArray(outer.container)
      ? this.#ids === "elements"
      : this.#ids === "id" && outer.name === "id";
  }

  /** Returns the next character; empty at the end of the text. */
  #skipSpace(): string {
    const next = this.#text[this.#at] ?? "";
    if (next > " " || next === "") return next;
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
    return this.#text[this.#at] ?? "";
  }
}
