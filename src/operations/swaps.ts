// The swaps of a request: every index is one that the key opens, and is named once. Called by local.ts.
import { TarsierError } from "../errors.ts";
import { nameList } from "../schemas/phrases.ts";
import type { Swap } from "../tasks/kinds.ts";
import type { Access } from "./services.ts";

export interface SwapAsked {
  /** Two uids. */
  indexes: readonly string[];
  rename?: boolean;
}

export function swapsOf(asked: readonly SwapAsked[], access: Access): Swap[] {
  const swaps = asked.map(({ indexes, rename = false }): Swap => {
    return { indexes: [...indexes] as [string, string], rename };
  });
  for (const [at, { indexes }] of swaps.entries())
    for (const uid of indexes) access.checkUse(uid, `Field \`[${at}].indexes\`: `);
  checkDistinct(swaps.flatMap((swap) => swap.indexes));
  return swaps;
}

function checkDistinct(uids: string[]): void {
  const seen = new Set<string>();
  const repeated = uids.filter((uid) => seen.has(uid) || !seen.add(uid));
  if (repeated.length === 0) return;
  const found = `${nameList([...new Set(repeated)])} ${repeated.length === 1 ? "is" : "are"}`;
  throw new TarsierError("invalid_swap_duplicate_index_found", { found });
}
