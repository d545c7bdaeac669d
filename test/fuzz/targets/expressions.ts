// Filter expressions and sort criteria: parsed, checked against settings, and evaluated over a small index.
import { addition, TestIndex } from "../../engine/index.ts";
import { isAccepted, type Subject, type Target } from "../fuzzing.ts";
import { changedText, type Grammar, grown } from "../making.ts";
import { FILTERS, SORTS } from "./grammars.ts";

const CHANGED_PART = 0.5;

const FILTER_PARTS = "( ) [ ] , AND OR NOT IN TO EXISTS \" ' \\ = < _geoRadius( _vectors.".split(" ");

const SORT_PARTS = [":asc", ":desc", "_geoPoint(", ")", ",", "_geo", "_geoDistance", "_rankingScore"];

export const expressionTargets: Target[] = [
  { name: "filter", slice: 200, open: () => listing(FILTERS, FILTER_PARTS, "filter") },
  { name: "sort", slice: 100, open: () => listing(SORTS, SORT_PARTS, "sort") },
];

function listing(grammar: Grammar, parts: readonly string[], field: "filter" | "sort"): Subject {
  const index = new TestIndex();
  const filterableAttributes = ["a", "b", "n.m", "_geo"];
  index.run([
    { kind: "settings", patch: { filterableAttributes, sortableAttributes: filterableAttributes } },
  ]);
  const values = [1, "x", "y É", null, [], [1, "x", -3.5], true, { b: { c: 1 } }, ""];
  const documents = values.map((a, id) => ({ id, a, b: id % 3, n: [{ m: a }], _geo: { lat: id, lng: -id } }));
  for (const half of [documents.slice(0, 5), documents.slice(5)])
    index.run([addition(half.map((document) => JSON.stringify(document)))]);
  const handle = { folder: index.folder, indexUid: "i", version: index.state.version };
  const page = { offset: 0, limit: 20, fields: ["id"], retrieveVectors: false, ids: null };
  return {
    make(random) {
      const text = grown(random, grammar);
      return random.chance(CHANGED_PART) ? changedText(random, text, parts) : text;
    },
    take: (text) => {
      const chosen =
        field === "filter" ? { filter: String(text), sort: null } : { filter: null, sort: [String(text)] };
      return isAccepted(() => index.searcher.documents(handle, { ...page, ...chosen }));
    },
    close: () => index.close(),
  };
}
