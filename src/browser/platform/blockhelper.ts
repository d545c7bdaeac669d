// Takes the place of src/segment/blockhelper.ts in browsers: a page indexes in one thread.
export function startBlockHelper(): void {}
