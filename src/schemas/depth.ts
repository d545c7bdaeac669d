// How deep a parameter may nest, whether it comes as a body (src/http/bodyjson.ts) or from a program
// (src/operations/checkedwrites.ts), where it may even contain itself.

/** Most arrays and objects inside each other in the body of a JSON route; documents have their own bound. */
export const JSON_DEPTH_MAX = 512;

/**
 * Whether a value nests deeper than this many levels. Goes level by level, so no depth exhausts the stack,
 * and visits each container once per level, so a value that contains itself twice does not exhaust the
 * memory.
 */
export function isDeeper(value: unknown, levels: number): boolean {
  let level = new Set([value]);
  for (let depth = 0; level.size > 0; depth++) {
    if (depth > levels) return true;
    const next = new Set<unknown>();
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      for (const inner of Object.values(item))
        if (typeof inner === "object" && inner !== null) next.add(inner);
    }
    level = next;
  }
  return false;
}
