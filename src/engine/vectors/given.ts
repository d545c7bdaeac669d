// `_vectors` as documents contain them: for each embedder one vector, several, nothing (null or an empty
// list), or an object that also says whether the embedder makes new ones. Called by documentvectors.ts.
import {
  JSON_ARRAY,
  JSON_FALSE,
  JSON_NULL,
  JSON_OBJECT,
  JSON_TRUE,
  type JsonEntry,
  type JsonScanner,
} from "../../core/json.ts";
import { TarsierError } from "../../errors.ts";
import { VECTORS_FIELD } from "../../schemas/vectorsfield.ts";
import { SLOTS_MAX } from "../../segment/vectorformat.ts";
import { namedMembers } from "../documents/members.ts";

/** What a document says about one embedder. */
export interface GivenVectors {
  /** Null: it neither brings nor removes vectors. */
  vectors: readonly Float32Array[] | null;
  regenerates: boolean;
}

/** JSON of each member of `_vectors`, as written in the document; null when there is no such field. */
export function vectorMembers(
  scanner: JsonScanner,
  pointer: number,
  length: number,
): Map<string, string> | null {
  const members = vectorEntries(scanner, pointer, length, "");
  return members && new Map([...members].map(([name, member]) => [name, scanner.source(member)]));
}

/**
 * Where each member lies. `place`: for messages.
 * @throws TarsierError `invalid_vectors_type`
 */
export function vectorEntries(
  scanner: JsonScanner,
  pointer: number,
  length: number,
  place: string,
): Map<string, JsonEntry> | null {
  const entry = namedMembers(scanner, pointer, length).get(VECTORS_FIELD);
  if (!entry || entry.type === JSON_NULL) return null;
  if (entry.type !== JSON_OBJECT)
    throw wrong(`${place}.${VECTORS_FIELD}`, "an object", scanner.source(entry));
  return namedMembers(scanner, entry.valueAddress, entry.valueLength);
}

const QUOTED_NAME = Buffer.from(`"${VECTORS_FIELD}"`);

/** True when a document whose names have no escapes may contain a field of that name. */
export function mentionsVectors(scanner: JsonScanner, pointer: number, length: number): boolean {
  return scanner.holds(QUOTED_NAME, pointer, length);
}

/**
 * Reads the member of an embedder in place. `place`: for messages.
 * @throws TarsierError `invalid_vectors_type`, `too_many_vectors`
 */
export function givenVectors(scanner: JsonScanner, entry: JsonEntry, place: string): GivenVectors {
  return plainVectors(scanner, entry) ?? parsedVectors(scanner.source(entry), place);
}

/** Vectors in one of the usual notations; null for anything else, mistakes included. */
function plainVectors(scanner: JsonScanner, entry: JsonEntry): GivenVectors | null {
  if (entry.type === JSON_ARRAY) return withVectors(scanner, entry, false);
  if (entry.type !== JSON_OBJECT) return null;
  const members = namedMembers(scanner, entry.valueAddress, entry.valueLength);
  const [regenerate, embeddings] = [members.get("regenerate"), members.get("embeddings")];
  if (members.size !== 2 || embeddings?.type !== JSON_ARRAY) return null;
  if (regenerate?.type !== JSON_TRUE && regenerate?.type !== JSON_FALSE) return null;
  return withVectors(scanner, embeddings, regenerate.type === JSON_TRUE);
}

function withVectors(scanner: JsonScanner, entry: JsonEntry, regenerates: boolean): GivenVectors | null {
  const vectors = scanner.vectors(entry);
  return vectors && vectors.length <= SLOTS_MAX ? { vectors, regenerates } : null;
}

/** The same from JSON text, with checks for every mistake. */
export function parsedVectors(json: string, place: string): GivenVectors {
  const value = JSON.parse(json) as unknown;
  if (value === null) return { vectors: [], regenerates: false };
  if (Array.isArray(value)) return { vectors: readList(value, place), regenerates: false };
  if (typeof value !== "object") throw wrong(place, FORMS, json);
  const { embeddings = null, ...rest } = value as Record<string, unknown>;
  const regenerates = regenerateOf(new Map(Object.entries(rest)), place);
  if (embeddings === null) return { vectors: null, regenerates };
  if (!Array.isArray(embeddings)) throw wrong(`${place}.embeddings`, LISTS, textOf(embeddings));
  return { vectors: readList(embeddings, `${place}.embeddings`), regenerates };
}

/**
 * Checks vectors that are kept for a future embedder: their form must be right today, the contents of lists
 * are checked when the embedder exists.
 * @throws TarsierError `invalid_vectors_type`
 */
export function checkForm(scanner: JsonScanner, entry: JsonEntry, place: string): void {
  if (entry.type === JSON_ARRAY || entry.type === JSON_NULL) return;
  if (entry.type !== JSON_OBJECT) throw wrong(place, FORMS, scanner.source(entry));
  const members = namedMembers(scanner, entry.valueAddress, entry.valueLength);
  members.delete("embeddings");
  regenerateOf(new Map([...members].map(([name, one]) => [name, JSON.parse(scanner.source(one))])), place);
}

/** `members`: those of the object except `embeddings`. */
function regenerateOf(members: ReadonlyMap<string, unknown>, place: string): boolean {
  const unknown = [...members.keys()].find((name) => name !== "regenerate");
  if (unknown !== undefined) throw wrong(place, "only `embeddings` and `regenerate`", `\`${unknown}\``);
  const regenerate = members.get("regenerate");
  if (typeof regenerate === "boolean") return regenerate;
  throw wrong(`${place}.regenerate`, "`true` or `false`", textOf(regenerate));
}

const LISTS = "null, an array of numbers, or an array of arrays of numbers";
const FORMS = `${LISTS}, or an object with \`regenerate\` and, if you like, \`embeddings\``;

/** One vector or several, depending on the first element. */
function readList(list: readonly unknown[], place: string): Float32Array[] {
  if (list.length === 0) return [];
  if (!Array.isArray(list[0])) return [readVector(list, place, "a number or an array of numbers")];
  if (list.length > SLOTS_MAX) {
    throw new TarsierError("too_many_vectors", { place, expected: SLOTS_MAX, found: list.length });
  }
  return list.map((item, i) => {
    if (!Array.isArray(item)) throw wrong(`${place}[${i}]`, "an array of numbers", textOf(item));
    return readVector(item, `${place}[${i}]`, "a number");
  });
}

function readVector(list: readonly unknown[], place: string, first: string): Float32Array {
  const vector = new Float32Array(list.length);
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (typeof item !== "number") throw wrong(`${place}[${i}]`, i === 0 ? first : "a number", textOf(item));
    vector[i] = item;
    if (!Number.isFinite(vector[i])) throw wrong(`${place}[${i}]`, "a number of 32 bits", textOf(item));
  }
  return vector;
}

function wrong(place: string, expected: string, found: string): TarsierError {
  return new TarsierError("invalid_vectors_type", { place, expected, found: shortened(found) });
}

const textOf = (value: unknown): string => (value === undefined ? "none" : (JSON.stringify(value) ?? "none"));

const FOUND_LENGTH_MAX = 80;

function shortened(text: string): string {
  return text.length > FOUND_LENGTH_MAX ? `${text.slice(0, FOUND_LENGTH_MAX)}…` : text;
}
