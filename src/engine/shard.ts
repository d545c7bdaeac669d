// Which of several servers keeps a document: each server has a weight for each id, and the heaviest is the
// owner (rendezvous hashing: Thaler and Ravishankar, 1998). When a server joins or leaves, only the documents
// that it gets or had move. Called by changes.ts; all servers of a network must agree, so the hash never
// changes.

export interface Shard {
  /** This server. */
  self: string;
  /** All servers; one that is leaving is no longer among them. */
  members: readonly string[];
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Of sorted names. */
export function areSameMembers(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, i) => name === right[i]);
}

/** Returns a function that tells whether this server keeps the document with an id, given as bytes. */
export function ownerCheck({ self, members }: Shard): (id: Uint8Array) => boolean {
  const owner = ownerOf(members);
  return (id) => owner(id) === self;
}

/** Returns a function that names the server that keeps the document. */
export function ownerOf(members: readonly string[]): (id: Uint8Array) => string {
  const names = [...new Set(members)].sort();
  const seeds = names.map((name) => hashed(Buffer.from(`${name}\0`), FNV_OFFSET));
  return (id) => {
    let best = 0;
    let most = -1;
    for (let i = 0; i < seeds.length; i++) {
      const weight = mixed(hashed(id, seeds[i]));
      if (weight > most) [best, most] = [i, weight];
    }
    return names[best];
  };
}

/** FNV-1a, continued from the hash of the preceding bytes. */
function hashed(bytes: Uint8Array, seed: number): number {
  let hash = seed;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return hash;
}

/** The final mix of MurmurHash3: FNV alone spreads short texts over the lower bits only. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
