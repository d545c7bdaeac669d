// The facets of a federated search: those of each index added up over its servers, and if asked for over all
// indexes. Called by federatedsearch.ts.
import { type FacetCounts, type FacetOrder, facetOrder } from "../engine/facets/distribution.ts";
import type { IndexFacets } from "../engine/federation/asked.ts";
import { mergedFacets } from "../engine/federation/mergedfacets.ts";
import { TarsierError } from "../errors.ts";
import type { FederatedResult, FederatedSearch } from "./federation.ts";
import type { LocalPart } from "./localpart.ts";
import type { RemoteAnswer } from "./remoteanswer.ts";

type Facets = Pick<FederatedResult, "facetsByIndex" | "facets">;

export function federatedFacets(
  { queries, federation, isOneQuery }: FederatedSearch,
  parts: readonly LocalPart[],
  remotes: readonly RemoteAnswer[],
): Facets {
  const used = new Set(queries.map(({ indexUid }) => indexUid));
  const facetsByIndex = new Map<string, readonly FacetCounts[]>();
  for (const { indexUid, answer } of parts) {
    if (answer.facets === null || !used.has(indexUid)) continue;
    const others = remotes.flatMap((remote) => remote.facetsByIndex.get(indexUid) ?? []);
    facetsByIndex.set(indexUid, others.length ? united(answer.facets, others) : answer.facets.counts);
  }
  if (federation.mergeFacets === null || facetsByIndex.size === 0) return { facetsByIndex, facets: null };
  const order = orderOfAll(parts);
  const { most } = federation.mergeFacets;
  // One index is shown as a single server would show it; values of different indexes are the same only if
  // spelled the same.
  const facets = mergedFacets([...facetsByIndex.values()], { order, most, isOneIndex: isOneQuery });
  return { facetsByIndex: new Map(), facets };
}

/**
 * Adds up the facets of one index by the settings that it has here, whatever they are elsewhere. Values that
 * the index considers equal are equal on all servers, and spelled as on the first of them.
 */
function united(own: IndexFacets, others: readonly FacetCounts[]): FacetCounts[] {
  const order = (name: string) => facetOrder(own, name);
  const most = own.faceting.maxValuesPerFacet;
  return mergedFacets([own.counts, others], { order, most, isOneIndex: true });
}

/**
 * The order of each requested field, which must be the same in all indexes. A pattern counts as a name;
 * fields that only patterns request are ordered by their texts.
 * @throws TarsierError `invalid_multi_search_facet_order` when it differs
 */
function orderOfAll(parts: readonly LocalPart[]): (name: string) => FacetOrder {
  const orders = new Map<string, { order: FacetOrder; indexUid: string }>();
  for (const { indexUid, answer, request } of parts) {
    if (answer.facets === null) continue;
    for (const name of request.facets ?? []) {
      const order = facetOrder(answer.facets, name);
      const known = orders.get(name);
      if (known && known.order !== order) throw disagreement(name, known, { order, indexUid });
      orders.set(name, known ?? { order, indexUid });
    }
  }
  return (name) => orders.get(name)?.order ?? "alpha";
}

interface Ordered {
  order: FacetOrder;
  indexUid: string;
}

function disagreement(name: string, before: Ordered, found: Ordered): TarsierError {
  return new TarsierError("invalid_multi_search_facet_order", {
    place: `Inside \`.federation.facetsByIndex.${found.indexUid}\``,
    expected: `facet \`${name}\` ordered by \`${before.order}\` as in index \`${before.indexUid}\``,
    found: `\`${found.order}\` in the setting \`faceting.sortFacetValuesBy\`: such facets cannot be merged`,
  });
}
