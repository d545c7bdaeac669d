// What the JSON kernels do, in plain TypeScript over strings: a parser that keeps the source of every value
// and every repeated name, the ids of documents, and the walk of a document to its leaves.

export interface JsonNode {
  type: "null" | "false" | "true" | "number" | "string" | "array" | "object";
  /** The value as it stands in the text. */
  source: string;
  /** Members in order, or elements (with an empty name and key). */
  children: { key: string; name: string; value: JsonNode }[];
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+)/y;
const TYPES: Record<string, JsonNode["type"]> = { n: "null", f: "false", t: "true", '"': "string" };

/** Parses valid JSON. */
export function parseJson(text: string): JsonNode {
  let at = 0;
  const next = (): string => {
    TOKEN.lastIndex = at;
    const [whole, token] = TOKEN.exec(text)!;
    at += whole.length;
    return token;
  };
  const value = (token: string): JsonNode => {
    const start = at - token.length;
    if (token !== "{" && token !== "[")
      return { type: TYPES[token[0]] ?? "number", source: token, children: [] };
    const type = token === "{" ? "object" : "array";
    const children: JsonNode["children"] = [];
    let token2 = next();
    while (token2 !== "}" && token2 !== "]") {
      if (token2 === ",") token2 = next();
      const key = type === "object" ? token2.slice(1, -1) : "";
      if (type === "object") next();
      const name = type === "object" ? (JSON.parse(token2) as string) : "";
      children.push({ key, name, value: value(type === "object" ? next() : token2) });
      token2 = next();
    }
    return { type, source: text.slice(start, at), children };
  };
  return value(next());
}

/** Id of a document as jsonIds finds it: a text, or one of the other outcomes. */
export function twinId(text: string, key: string): { id: string } | "missing" | "unacceptable" | "unclear" {
  const { children } = parseJson(text);
  const keys = children.map((child) => child.key);
  if (key.includes(".") || new Set(keys).size < keys.length || keys.some((raw) => raw.includes("\\")))
    return "unclear";
  const found = children.find((child) => child.key === key)?.value;
  if (!found) return "missing";
  const { type, source } = found;
  if (type === "string" && /^"[\w-]*\\/.test(source)) return "unclear";
  if (type === "string")
    return /^"[\w-]{1,511}"$/.test(source) ? { id: source.slice(1, -1) } : "unacceptable";
  return type === "number" && isInteger64(source) ? { id: source } : "unacceptable";
}

export function isInteger64(source: string): boolean {
  if (!/^-?\d+$/.test(source) || source === "-0") return false;
  const value = BigInt(source);
  return value >= -(2n ** 63n) && value < 2n ** 64n;
}

/** A text whose lone surrogates are replaced, as UTF-8 has none. */
export function wellFormed(text: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}

export interface TwinLeaf {
  field: number;
  /** Null: a step without text. */
  text: string | null;
}

/**
 * The leaves of a document, ordered by field. `fieldOf` gives the number of a dotted name; -1: not
 * searchable, -2: nor is anything below.
 */
export function twinLeaves(
  text: string,
  fieldOf: (name: string) => number,
  print: (number: string) => string,
): TwinLeaf[] {
  const leaves: TwinLeaf[] = [];
  const leaf = (path: string, text: string | null) => {
    if (fieldOf(path) >= 0) leaves.push({ field: fieldOf(path), text });
  };
  const visit = (path: string, node: JsonNode, nestedName: boolean) => {
    if (fieldOf(path) === -2) return;
    if (node.type === "string") return leaf(path, wellFormed(JSON.parse(node.source) as string));
    if (node.type === "number") return leaf(path, print(node.source));
    if (node.type !== "array" && node.type !== "object")
      return leaf(path, node.type === "null" ? null : node.source);
    if (nestedName) leaf(path, null);
    if (node.children.length === 0) leaf(path, null);
    for (const child of node.children) {
      const named = node.type === "object";
      visit(named ? `${path}.${wellFormed(child.name)}` : path, child.value, named);
    }
  };
  for (const child of parseJson(text).children) visit(wellFormed(child.name), child.value, false);
  return leaves.sort((a, b) => a.field - b.field);
}
