// What is used of Node's module `stream`, for browsers: a body that is sent in pieces. They send it as a
// whole.

export const Readable = {
  /** The generator may use the memory of a piece again. */
  from(pieces: Iterable<Uint8Array>): Blob {
    return new Blob(Array.from(pieces, (piece) => new Uint8Array(piece)));
  },
};
