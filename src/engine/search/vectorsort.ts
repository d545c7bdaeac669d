// The rule that sorts by vectors: documents whose vector is nearest to the query's come first, those without
// a vector come last. Called by semantic.ts.
import type { Distribution } from "../../embedders/embedder.ts";
import type { Bitmaps } from "../bitmaps.ts";
import type { NearDocument, NearestSearch } from "../vectors/nearest.ts";
import { similarityOf } from "../vectors/similarity.ts";
import { Documents } from "./documents.ts";
import type { Bucket, Rank, Rule } from "./rule.ts";

/** Factor by which more documents are asked for when a page needs it, since distinct drops some. */
const GROWTH = 4;

/** `wanted`: number of hits of the search, counted from the first one. */
export function vectorSortRule(
  bitmaps: Bitmaps,
  search: NearestSearch,
  distribution: Distribution | null,
  wanted: number,
): Rule {
  return {
    *buckets(documents, paths): Generator<Bucket> {
      const rest = bitmaps.create(documents.bitmap);
      let least = Math.max(1, wanted);
      for (let isComplete = false; !isComplete; least *= GROWTH) {
        bitmaps.exclude(rest);
        const found = search.nearest(rest, least);
        isComplete = found.isComplete;
        for (const group of groupsOf(found.documents)) {
          const all = Uint32Array.from(group, ({ docid }) => docid);
          bitmaps.remove(rest, all);
          const docids = bitmaps.withoutExcluded(all);
          if (docids.length === 0) continue;
          const rank = rankOf(similarityOf(group[0].distance, distribution));
          yield { documents: Documents.ofDocids(bitmaps, docids), paths, rank };
        }
      }
      bitmaps.exclude(rest);
      if (bitmaps.any(rest))
        yield { documents: Documents.ofBitmap(bitmaps, rest), paths, rank: rankOf(null) };
    },
  };
}

/** Null: the document has no vector. */
export const rankOf = (similarity: number | null): Rank => ({
  rule: "vectorSort",
  rank: 1,
  max: 1,
  similarity,
});

/** Groups of documents that are equally near. */
function* groupsOf(documents: readonly NearDocument[]): Generator<NearDocument[]> {
  for (let from = 0; from < documents.length; ) {
    let to = from + 1;
    while (to < documents.length && documents[to].distance === documents[from].distance) to++;
    yield documents.slice(from, to);
    from = to;
  }
}
