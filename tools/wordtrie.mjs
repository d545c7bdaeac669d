// Writes words as the tries that src/core/wordtrie.ts describes and reads. Used by words.mjs, and by tests.

const HEAD_BYTES = 8;

/** The file for a Map of words, with characters up to U+FFFF, to their weights, from 1 to 255. */
export function trieOf(words) {
  const root = { weight: 0, children: new Map() };
  for (const [word, weight] of words) nodeOf(root, word).weight = weight;
  const characters = charactersOf(root);
  const numbers = new Map(characters.map((character, number) => [character, number]));
  const [counts, steps] = [[], []];
  const ordered = [root];
  for (const { children } of ordered) {
    const found = [...children].map(([character, child]) => [numbers.get(character), child]);
    counts.push(...varint(found.length));
    let next = 0;
    for (const [number, child] of found.sort(([a], [b]) => a - b)) {
      steps.push(...varint(number - next));
      next = number + 1;
      ordered.push(child);
    }
  }
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(characters.length, 0);
  head.writeUInt32LE(ordered.length, 4);
  const weights = ordered.map(({ weight }) => weight);
  const names = Buffer.from(characters.join(""), "utf16le");
  return Buffer.concat([head, names, ...[weights, counts, steps].map((part) => Buffer.from(part))]);
}

function nodeOf(root, word) {
  let node = root;
  for (const character of word) {
    if (!node.children.has(character)) node.children.set(character, { weight: 0, children: new Map() });
    node = node.children.get(character);
  }
  return node;
}

/** The characters that lead to nodes, most frequent first. */
function charactersOf(root) {
  const uses = new Map();
  const nodes = [root];
  for (const { children } of nodes) {
    for (const [character, child] of children) {
      uses.set(character, (uses.get(character) ?? 0) + 1);
      nodes.push(child);
    }
  }
  return [...uses.keys()].sort((a, b) => uses.get(b) - uses.get(a) || (a < b ? -1 : 1));
}

function varint(value) {
  const bytes = [];
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
  bytes.push(value);
  return bytes;
}
