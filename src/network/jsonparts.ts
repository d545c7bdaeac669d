// Parts of a JSON text as they are written: numbers that pass through this server keep every digit. Called by
// remoteanswer.ts, remotelist.ts, moving.ts and movetarget.ts with texts that JSON.parse accepts.

interface JsonMember {
  name: string;
  /** The value as written. */
  value: string;
}

/** The members of an object. */
export function membersIn(text: string): JsonMember[] {
  return [...parts(text)].map(([start, end]) => {
    const nameEnd = endOf(text, start);
    const colon = text.indexOf(":", nameEnd);
    return { name: JSON.parse(text.slice(start, nameEnd)), value: text.slice(colon + 1, end).trim() };
  });
}

/**
 * The id of a document as text: numbers with all their digits. A name with dots may also stand for nested
 * members, however the dots are shared between names and nesting.
 * @throws Error for a document without one
 */
export function idIn(text: string, primaryKey: string): string {
  const value = valueAt(text, primaryKey);
  if (value === null) throw new Error(`a document without its id \`${primaryKey}\``);
  return value.startsWith('"') ? JSON.parse(value) : String(BigInt(value));
}

function valueAt(text: string, path: string): string | null {
  let found: string | null = null;
  for (const { name, value } of membersIn(text)) {
    if (name === path) found = value;
    else if (value.startsWith("{") && path.startsWith(`${name}.`))
      found = valueAt(value, path.slice(name.length + 1)) ?? found;
  }
  return found;
}

/** The elements of an array. */
export function elementsIn(text: string): string[] {
  return [...parts(text)].map(([start, end]) => text.slice(start, end));
}

/** Where the parts of an object or array stand, between its brackets and commas. */
function* parts(text: string): Generator<[start: number, end: number]> {
  let start = blanksEnd(text, text.search(/[{[]/) + 1);
  for (let at = start; at < text.length; ) {
    const character = text[at];
    if (character === "," || character === "}" || character === "]") {
      if (at > start) yield [start, at];
      if (character !== ",") return;
      start = blanksEnd(text, at + 1);
      at = start;
    } else at = endOf(text, at);
  }
}

/** End of the text, object or array that begins here; of anything else, the next character. */
function endOf(text: string, at: number): number {
  if (text[at] === '"') return textEnd(text, at);
  return text[at] === "{" || text[at] === "[" ? bracketEnd(text, at) : at + 1;
}

/** End of the object or array that begins here. */
export function bracketEnd(text: string, at: number): number {
  let depth = 0;
  for (let i = at; ; i++) {
    const character = text[i];
    if (character === '"') i = textEnd(text, i) - 1;
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return i + 1;
  }
}

/** Jumps from quote to quote: most of a document is inside texts. */
function textEnd(text: string, at: number): number {
  for (let i = text.indexOf('"', at + 1); ; i = text.indexOf('"', i + 1)) {
    let before = i;
    while (text[before - 1] === "\\") before--;
    if ((i - before) % 2 === 0) return i + 1;
  }
}

function blanksEnd(text: string, at: number): number {
  while (at < text.length && /\s/.test(text[at])) at++;
  return at;
}
