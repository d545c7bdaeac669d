// The fields of an index and what the settings allow for each. Called by localreads.ts.
import { isDisplayed } from "../engine/displayed.ts";
import { facetOrder } from "../engine/facets/distribution.ts";
import { covers, patternMatches } from "../engine/fieldnames.ts";
import { filterFeatures, isSortable } from "../engine/filter/attributes.ts";
import { localesOfField } from "../engine/search/locales.ts";
import { isNeverSearched, weightOf } from "../engine/searchfields.ts";
import type { IndexField } from "../schemas/answers.ts";
import { boundOf } from "../schemas/fields.ts";
import type { FieldsBody, FieldsFilter } from "../schemas/indexfields.ts";
import { PAGE_LIMIT_DEFAULT } from "../schemas/parameters.ts";
import type { Settings } from "../schemas/settings.ts";
import { VECTORS_FIELD } from "../schemas/vectorsfield.ts";
import type { OperationServices } from "./services.ts";

export interface IndexFieldPage {
  results: IndexField[];
  offset: number;
  limit: number;
  total: number;
}

/** Sorted by the bytes of the names. */
export async function listFields(
  { instance, engine }: OperationServices,
  indexUid: string,
  body: FieldsBody,
): Promise<IndexFieldPage> {
  const [offset, limit] = [body.offset ?? 0, body.limit ?? PAGE_LIMIT_DEFAULT].map(boundOf);
  const { filter } = body;
  const handle = instance.handle(indexUid);
  const names = await engine.fields(handle);
  const settings = await engine.settings(handle);
  const all = names.map((name) => fieldOf(name, settings));
  const chosen = filter ? all.filter((field) => isChosen(field, filter)) : all;
  return { results: chosen.slice(offset, offset + limit), offset, limit, total: chosen.length };
}

function fieldOf(name: string, settings: Settings): IndexField {
  const { distinctAttribute, rankingRules } = settings;
  const isVectors = covers(VECTORS_FIELD, name);
  const isText = !isNeverSearched(name);
  const rule = rankingRules.find((rule) => rule === `${name}:asc` || rule === `${name}:desc`);
  const order = isText && rule !== undefined ? (rule.endsWith(":asc") ? "asc" : "desc") : undefined;
  return {
    name,
    displayed: { enabled: isDisplayed(settings, name) },
    searchable: { enabled: weightOf(settings, name) >= 0 },
    sortable: { enabled: !isVectors && isSortable(settings, name) },
    distinct: { enabled: isText && name === distinctAttribute },
    rankingRule: { enabled: order !== undefined, ...(order && { order }) },
    filterable: filterableOf(name, settings, isVectors),
    localized: { locales: (isText && localesOfField(settings, name)) || [] },
  };
}

function filterableOf(name: string, settings: Settings, isVectors: boolean): IndexField["filterable"] {
  const sortBy = isVectors ? "alpha" : facetOrder(settings, name);
  const { facetSearch, equality, comparison } = (isVectors ? null : filterFeatures(settings, name)) ?? NONE;
  return { enabled: equality || comparison || facetSearch, sortBy, facetSearch, equality, comparison };
}

const NONE = { facetSearch: false, equality: false, comparison: false };

const ABILITIES = [
  "displayed",
  "searchable",
  "sortable",
  "distinct",
  "rankingRule",
  "filterable",
] as const satisfies readonly (keyof FieldsFilter)[];

/** Every condition of the filter must hold. */
function isChosen(field: IndexField, filter: FieldsFilter): boolean {
  const { attributePatterns } = filter;
  if (attributePatterns && !attributePatterns.some((pattern) => patternMatches(pattern, field.name)))
    return false;
  return ABILITIES.every((name) => (filter[name] ?? field[name].enabled) === field[name].enabled);
}
