// What the columns hold of a document, written plainly over its parsed text. A value is a text: `n` and a
// number, `t` and a normal form, or one of the kinds without a value.
import { storedFacetText } from "../../src/engine/filter/facettext.ts";
import { keyOfText, textOfKey } from "../../src/segment/columnkeys.ts";
import { type JsonNode, parseJson } from "./json.ts";

export type TwinValue = string;

const TEXT_BYTES_MAX = 468;

/** Distinct values of each column in the order of a column: numbers, texts, then kinds. */
export function twinColumns(
  document: string,
  hasColumn: (name: string) => boolean,
): Map<string, TwinValue[]> {
  const columns = new Map<string, Set<TwinValue>>();
  const walk = (node: JsonNode, name: string, isMember: boolean): void => {
    const add = (value: TwinValue | null) => {
      if (!hasColumn(name)) return;
      if (!columns.has(name)) columns.set(name, new Set());
      if (value !== null) columns.get(name)!.add(value);
    };
    const { type, source, children } = node;
    if (isMember) add(null);
    if (type === "number" && Number.isFinite(Number(source))) add(`n${Number(source) + 0}`);
    else if (type === "true" || type === "false") add(`t${type}`);
    else if (type === "string" && source !== '""') add(`t${normalForm(JSON.parse(source) as string)}`);
    else if (isMember && type === "null") add("null");
    else if (isMember && type !== "number" && children.length === 0) add("empty");
    for (const child of children) {
      if (type === "array") walk(child.value, name, false);
      else walk(child.value, name === "" ? child.name : `${name}.${child.name}`, true);
    }
  };
  walk(parseJson(document), "", false);
  const found = [...columns].map(
    ([name, values]) => [name, values.size === 0 ? ["bare"] : [...values].sort(compareValues)] as const,
  );
  return new Map(found);
}

const KINDS = ["bare", "null", "empty"];

/** Numbers, texts, then the kinds without a value. */
function kindOf(value: TwinValue): number {
  const kind = KINDS.indexOf(value);
  return kind >= 0 ? 2 + kind : "nt".indexOf(value[0]);
}

export function compareValues(a: TwinValue, b: TwinValue): number {
  const kinds = kindOf(a) - kindOf(b);
  if (kinds !== 0 || kindOf(a) > 1) return kinds;
  if (a[0] === "n") return Number(a.slice(1)) - Number(b.slice(1));
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Trimmed, decomposed, in lower case; a long one in the form that stands for it. */
export function normalForm(text: string): string {
  const trimmed = Buffer.from(text)
    .toString()
    .replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "");
  const normal = trimmed.normalize("NFKD").toLowerCase();
  if (Buffer.byteLength(normal) <= TEXT_BYTES_MAX) return normal;
  return textOfKey(keyOfText(storedFacetText(text)));
}
