// Takes the place of src/segment/graphhelpers.ts in browsers: a page builds its graphs in one thread.

export class GraphHelpers {
  /** No room is given to a build in one thread. */
  constructor(...[, , rooms]: [core: unknown, builder: number, rooms: readonly number[]]) {
    if (rooms.length > 0) throw new Error("a page has no threads that help to build graphs");
  }

  close(): void {}
}
