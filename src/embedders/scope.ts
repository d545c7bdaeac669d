// What templates see of a document, and how strict they are: a missing variable fails the template wherever
// it is used, except where an if, and, or, not asks whether it exists. Used by the files of
// template conditions, tags and documents (liquid.ts, prompts.ts).
import { Context, Drop } from "liquidjs";
import { orderedObject } from "./orderedobject.ts";
import { DEPTH_MAX, DIGITS, tooDeep, written } from "./written.ts";

/** The value of a missing variable was used. */
export class MissingVariable extends Error {
  /** Null for a field of something else. */
  readonly variable: string | null;

  constructor(message: string, variable: string | null) {
    super(message);
    this.variable = variable;
  }
}

/** A missing variable. Using its value throws. */
export class Missing extends Drop {
  readonly #message: string;
  readonly #variable: string | null;

  constructor(name: string, known: readonly string[], isField = true) {
    super();
    this.#variable = isField ? null : name;
    const shown = known.slice(0, KNOWN_SHOWN_MAX).map((key) => `\`${key}\``);
    const more = known.length > shown.length ? ", ..." : "";
    this.#message = `\`${name}\` is missing; known here: ${shown.join(", ") || "nothing"}${more}`;
  }

  override valueOf(): never {
    throw new MissingVariable(this.#message, this.#variable);
  }
}

const KNOWN_SHOWN_MAX = 20;

/** Stands for a document that has every field, each of which is null, exists, and has every field. */
export class AnyDocument extends Drop {
  override liquidMethodMissing(): this {
    return this;
  }

  override valueOf(): null {
    return null;
  }
}

/**
 * An integer beyond 2^53: written with all its digits, but a rounded number for anything that computes with
 * it.
 */
export class LargeInteger extends Drop {
  readonly [DIGITS]: string;
  readonly #number: number;

  constructor(integer: bigint) {
    super();
    this[DIGITS] = String(integer);
    this.#number = Number(integer);
  }

  override valueOf(): number {
    return this.#number;
  }

  toJSON(): number {
    return this.#number;
  }

  [Symbol.toPrimitive](hint: string): number | string {
    return hint === "number" ? this.#number : this[DIGITS];
  }
}

/** The variables of one rendering. */
export class StrictContext extends Context {
  override readProperty(from: object | null | undefined, key: string | number | Drop): unknown {
    if (from instanceof Missing) return from;
    const isText = (typeof from !== "object" && from !== undefined) || from instanceof LargeInteger;
    if (key === "size" && isText) return Buffer.byteLength(written(from));
    if (from instanceof LargeInteger) return new Missing(String(key), []);
    const isNothing = from === null || from === undefined;
    // The `length` of texts and lists belongs to JavaScript, not to the template.
    const isOwnToScripts = key === "length" && (typeof from === "string" || Array.isArray(from));
    const value = isNothing || isOwnToScripts ? undefined : super.readProperty(from, key as string);
    if (value !== undefined) return value;
    const isField = from !== this.globals;
    const known = isField ? from : this.environments;
    const names = typeof known === "object" && known !== null ? Object.keys(known) : [];
    return new Missing(String(key), names, isField);
  }
}

/**
 * An object with these JSON values in the form for templates: it is written as its keys and values, one after
 * the other. Throws a TemplateFailure for values nested too deep.
 */
export function visibleObject(entries: Iterable<readonly [string, unknown]>, depth = 0): object {
  const members = [...entries].map(([key, value]) => [key, visible(value, depth + 1)] as const);
  return orderedObject(members, WRITTEN);
}

function visible(value: unknown, depth: number): unknown {
  if (typeof value === "bigint") return new LargeInteger(value);
  if (value instanceof Drop) return value;
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEPTH_MAX) throw tooDeep();
  if (Array.isArray(value)) return value.map((item) => visible(item, depth + 1));
  // Already visible: a document is shown both as a whole and field by field.
  if (Object.getPrototypeOf(value) === WRITTEN) return value;
  return visibleObject(Object.entries(value), depth);
}

/** Under a symbol, since a field may be called `toString`. */
const WRITTEN = Object.create(null, {
  [Symbol.toPrimitive]: {
    value(this: object): string {
      return written(this);
    },
  },
});
