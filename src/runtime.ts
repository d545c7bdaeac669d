// Which runtime runs this process, for the few places where they differ.

export const IS_BUN = process.versions.bun !== undefined;

export const IS_NODE = !IS_BUN && process.versions.deno === undefined;
