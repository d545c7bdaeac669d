// The page of instantsearch.test.ts, bundled by it: InstantSearch and the adapter as their documentation has
// them, over the server and the key that the address names.
import { instantMeiliSearch } from "@meilisearch/instant-meilisearch";
import instantsearch from "instantsearch.js";
import {
  configure,
  hits,
  numericMenu,
  pagination,
  rangeInput,
  refinementList,
  searchBox,
  sortBy,
  stats,
} from "instantsearch.js/es/widgets/index.js";

/** What a template is given. */
interface Tools {
  html(texts: TemplateStringsArray, ...values: unknown[]): unknown;
  components: { Highlight(options: { hit: object; attribute: string }): unknown };
}

const asked = new URLSearchParams(location.search);
const { searchClient } = instantMeiliSearch(asked.get("server")!, asked.get("key")!, {
  finitePagination: true,
});
const search = instantsearch({ indexName: "teas", searchClient });
const steeped = "steeped for";
search.addWidgets([
  configure({ hitsPerPage: 2 }),
  searchBox({ container: "#search" }),
  stats({ container: "#stats" }),
  refinementList({ container: "#kinds", attribute: "kind", searchable: true }),
  rangeInput({ container: "#range", attribute: steeped }),
  numericMenu({
    container: "#menu",
    attribute: steeped,
    items: [{ label: "any" }, { label: "short", end: 30 }, { label: "long", start: 40 }],
  }),
  sortBy({
    container: "#order",
    items: [
      { label: "by relevance", value: "teas" },
      { label: "longest first", value: "teas:steeped for:desc" },
    ],
  }),
  hits({
    container: "#hits",
    templates: {
      item: (hit: object, { html, components }: Tools) =>
        html`<p>${components.Highlight({ hit, attribute: "name" })}</p>`,
    },
  }),
  pagination({ container: "#pages" }),
]);
search.start();
