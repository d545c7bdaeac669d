// How the ids of the documents of a segment stand in them: a hit of which only the id is shown need not be
// looked at then (engine/search/idhits.ts). Told by engine/ingest/changes.ts, united where segments are.

/** JSON numbers, JSON strings, or both; so, too, where nobody has looked. */
export type IdKind = "numbers" | "texts" | "mixed";

/** Of documents of these kinds together; null: there are none. */
export function unitedIdKind(kinds: readonly (IdKind | null)[]): IdKind | null {
  const [first = null, ...others] = new Set(kinds.filter((kind) => kind !== null));
  return others.length > 0 ? "mixed" : first;
}
