// The run of operations that the fault tests play: every kind of write, small and large payloads, deletions,
// rebuilds, enough small batches for merges, and indexes that come, swap and go.
import type { Document, Write } from "./model.ts";

/** Writes that are registered together and then worked off. */
export const SCRIPT: Write[][] = [
  [{ kind: "create", index: "alpha", primaryKey: "id" }],
  [add("alpha", "replace", documents(0, 12))],
  [add("alpha", "replace", documents(10, 60, "long ".repeat(80)))],
  [
    add("alpha", "update", [
      { id: 3, extra: [1] },
      { id: 11, title: "new fennel" },
      { id: 200, title: "whole" },
    ]),
  ],
  [
    { kind: "delete", index: "alpha", ids: [1, 2, 30, 31, 999] },
    add("beta", "replace", documents(0, 3)),
    { kind: "addInvalid", index: "beta" },
  ],
  [{ kind: "settings", index: "alpha", patch: { searchableAttributes: ["title"] } }],
  ...[300, 301, 302, 303].map((id) => [add("alpha", "replace", documents(id, 1))]),
  [{ kind: "delete", index: "alpha", ids: [300, 302, 15] }],
  [{ kind: "settings", index: "alpha", patch: { pagination: { maxTotalHits: 7000 } } }],
  [{ kind: "swap", pair: ["alpha", "beta"] }],
  [
    add("alpha", "replace", documents(3, 2)),
    { kind: "drop", index: "gamma" },
    { kind: "clear", index: "alpha" },
  ],
  [{ kind: "drop", index: "alpha" }],
  [add("alpha", "replace", documents(0, 2))],
];

function add(index: string, method: "replace" | "update", documents: Document[]): Write {
  return { kind: "add", index, method, documents };
}

/** `count` documents with ids from `first` on. */
function documents(first: number, count: number, filler = ""): Document[] {
  const words = ["almond", "birch", "cactus"];
  return Array.from({ length: count }, (_, i) => {
    return { id: first + i, title: `${words[i % 3]} number`, body: `${filler}${i}` };
  });
}
