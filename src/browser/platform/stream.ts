// The parts of Node's module `stream` that are used, for browsers: a body that is sent in pieces, which
// browsers send as a whole.

export const Readable = {
  /** Copies each piece, since the generator may reuse its memory. */
  from(pieces: Iterable<Uint8Array>): Blob {
    return new Blob(Array.from(pieces, (piece) => new Uint8Array(piece)));
  },
};
