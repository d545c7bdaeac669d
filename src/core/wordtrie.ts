// The words of a language that is written without spaces, as a trie over UTF-16. Called by segmenter.ts and
// chinesewords.ts; the files are made by tools/words.mjs.
//
// File, little-endian, of c characters and n nodes; varint: seven bits a byte, the lowest first:
//   0         u32         c
//   4         u32         n
//   8         c x u16     the characters; one that leads to more nodes comes before one that leads to fewer
//   8 + 2c    n x u8      weight of the word that ends at each node; 0: none does
//   8 + 2c+n  n x varint  children of each node, breadth first from the root, which is node 0
//   ...       varint...   number of the character that leads to each node but the root: for the first child
//                         of a node itself, for each further one how many lie between it and the one before

const HEAD_BYTES = 8;
const UNITS = 65536;

export class WordTrie {
  /** Number of each code unit's character, counted from 1; 0 when no word contains it. */
  readonly #numbers = new Uint16Array(UNITS);
  /** Weights by node. */
  readonly #weights: Uint8Array;
  readonly #characters: Uint16Array;
  /** The first child of each node; the children of a node are adjacent, in the order of their characters. */
  readonly #children: Uint32Array;

  /** @throws RangeError when the bytes are not such a file */
  constructor(file: Uint8Array) {
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    const [characters, nodes] = [view.getUint32(0, true), view.getUint32(4, true)];
    for (let number = 0; number < characters; number++)
      this.#numbers[view.getUint16(HEAD_BYTES + 2 * number, true)] = number + 1;
    const weights = HEAD_BYTES + 2 * characters;
    this.#weights = file.slice(weights, weights + nodes);
    const reader = new VarintReader(file, weights + nodes);
    this.#children = new Uint32Array(nodes + 1);
    this.#children[0] = 1;
    for (let node = 0; node < nodes; node++) this.#children[node + 1] = this.#children[node] + reader.next();
    if (this.#children[nodes] !== nodes) throw new RangeError("not a file of words");
    this.#characters = new Uint16Array(nodes);
    for (let node = 0; node < nodes; node++) {
      for (let child = this.#children[node], number = 0; child < this.#children[node + 1]; child++) {
        number += reader.next() + 1;
        this.#characters[child] = number;
      }
    }
  }

  /** The node to which a code unit leads from `node`; 0 when no word continues like that. */
  next(node: number, unit: number): number {
    const number = this.#numbers[unit];
    if (number === 0) return 0;
    let low = this.#children[node];
    const end = this.#children[node + 1];
    for (let high = end; low < high; ) {
      const middle = (low + high) >>> 1;
      if (this.#characters[middle] < number) low = middle + 1;
      else high = middle;
    }
    return low < end && this.#characters[low] === number ? low : 0;
  }

  /** Weight of the word that ends at a node; 0 when none does. */
  weightAt(node: number): number {
    return this.#weights[node];
  }

  /** Code units of the longest word that begins at `from`; 0 when none does. */
  longestAt(text: string, from: number): number {
    let longest = 0;
    let node = 0;
    for (let at = from; at < text.length; ) {
      node = this.next(node, text.charCodeAt(at++));
      if (node === 0) break;
      if (this.#weights[node] > 0) longest = at - from;
    }
    return longest;
  }

  has(word: string): boolean {
    return word !== "" && this.longestAt(word, 0) === word.length;
  }
}

class VarintReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  next(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
      if (byte === undefined) throw new RangeError("a file of words ends too early");
    }
  }
}
