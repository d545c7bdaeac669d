// Replaces src/segment/graphhelpers.ts in browsers, where a page builds graphs in one thread.

export class GraphHelpers {
  /** A build in one thread has no rooms for helpers. */
  constructor(...[, , rooms]: [core: unknown, builder: number, rooms: readonly number[]]) {
    if (rooms.length > 0) throw new Error("a page has no threads that help to build graphs");
  }

  close(): void {}
}
