// Replaces src/segment/blockhelper.ts in browsers, where a page indexes in one thread.
export function startBlockHelper(): void {}
