// JSON that a schema of a request allows, with something wrong in it now and then. Used by the targets that
// speak HTTP: what the schemas describe is what the bodies are made of.
import type { TSchema } from "typebox";
import type { Random } from "../crash/random.ts";
import { anyValue } from "./making.ts";

/** What stands for a text or a whole value at a place, found by the name of its field. */
export type Vocabulary = (field: string, random: Random) => unknown;

interface Shape {
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Shape[];
  allOf?: readonly Shape[];
  items?: Shape;
  properties?: Record<string, Shape>;
  patternProperties?: Record<string, Shape>;
  required?: readonly string[];
  minimum?: number;
  maximum?: number;
}

const WRONG_PART = 0.03;
const FIELDS_MOST = 6;

export function valueFor(schema: TSchema, random: Random, vocabulary: Vocabulary): unknown {
  return made(schema as Shape, "", random, vocabulary);
}

function made(shape: Shape, field: string, random: Random, vocabulary: Vocabulary): unknown {
  const go = (inner: Shape, name = field) => made(inner, name, random, vocabulary);
  if (random.chance(WRONG_PART)) return anyValue(random, WRONG_NAMES);
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return random.of(shape.enum);
  if (shape.anyOf) return go(random.of(shape.anyOf));
  if (shape.allOf) return Object.assign({}, ...shape.allOf.map((part) => go(part)));
  const { minimum = -5, maximum = 30 } = shape;
  switch (shape.type) {
    case "string":
      return vocabulary(field, random);
    case "boolean":
      return random.chance(0.5);
    case "integer":
      return random.between(minimum, Math.min(maximum, minimum + 50));
    case "number":
      return minimum + random.next() * (Math.min(maximum, minimum + 50) - minimum);
    case "null":
      return null;
    case "array":
      return Array.from({ length: random.of([0, 1, 1, 2, 3]) }, () => go(shape.items ?? {}));
    case "object":
      return object(shape, random, vocabulary);
    default:
      return random.chance(0.7) ? vocabulary(field, random) : anyValue(random, WRONG_NAMES);
  }
}

const WRONG_NAMES = ["id", "a", "q", "uid", "filter", "indexUid", "limit"];

function object(shape: Shape, random: Random, vocabulary: Vocabulary): Record<string, unknown> {
  const { properties = {}, required = [], patternProperties } = shape;
  const names = new Set(random.chance(0.97) ? required : []);
  const optional = Object.keys(properties).filter((name) => !names.has(name));
  for (let count = random.between(0, Math.min(FIELDS_MOST, optional.length)); count > 0; count--)
    names.add(random.of(optional));
  const fields = [...names].map((name): [string, unknown] => [
    name,
    made(properties[name] ?? {}, name, random, vocabulary),
  ]);
  const [rest] = Object.values(patternProperties ?? {});
  for (let count = rest ? random.between(0, 2) : 0; count > 0; count--) {
    const key = String(vocabulary("", random));
    fields.push([key, made(rest, key, random, vocabulary)]);
  }
  if (random.chance(WRONG_PART)) fields.push([random.of(WRONG_NAMES), anyValue(random, WRONG_NAMES)]);
  return Object.fromEntries(fields);
}
