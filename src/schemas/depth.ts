// How deep a parameter may nest, whether it comes as a body (src/http/bodyjson.ts) or from a program
// (src/operations/checkedwrites.ts), where it may also hold itself.

/** Containers inside each other in the body of a JSON route; documents have a bound of their own. */
export const JSON_DEPTH_MAX = 512;

/**
 * Does a value nest deeper than so many levels? Level by level, so that no depth can exhaust the stack, and
 * each container once in a level, so that no value that holds itself twice can exhaust the memory.
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
