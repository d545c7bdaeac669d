// Sorts of very many documents (src/engine/search/valueorder.ts): pages are those of a sort in JavaScript,
// whatever share of the documents a filter leaves, in one segment or in many, with some replaced or deleted.
import { deepEqual, ok } from "node:assert/strict";
import { mock, test } from "node:test";
import { Column } from "../../../src/segment/column.ts";
import { SearchIndex } from "./searchindex.ts";

const DOCUMENTS = 20_000;
const LIMIT = 30;

interface Row {
  id: number;
  /** Every document has its own. */
  place: number;
  /** Few values. */
  level: number;
  /** Numbers, texts, and nothing, in turn. */
  mixed?: number | string;
}

type Field = "place" | "level" | "mixed";

const rows = Array.from({ length: DOCUMENTS }, (_, id) => rowOf(id, (id * 7919) % DOCUMENTS));
/** In the other half of the order. */
const replaced = rows
  .filter(({ id }) => id % 13 === 5)
  .map(({ id, place }) => rowOf(id, (place + DOCUMENTS / 2) % DOCUMENTS));

test("pages of a sort over very many documents of one segment are those of a full sort", () => {
  comparePages(indexOf(1), rows);
});

test("pages of a sort over very many documents of several segments are those of a full sort", () => {
  comparePages(indexOf(4), rows);
});

test("pages of a sort show neither what was replaced nor what was deleted", () => {
  const index = indexOf(4);
  index.add(replaced);
  const isDeleted = ({ id }: Row) => id % 11 === 0;
  index.remove(rows.filter(isDeleted).map(({ id }) => id));
  const newest = new Map([...rows, ...replaced].map((row) => [row.id, row]));
  const left = [...newest.values()].filter((row) => !isDeleted(row));
  comparePages(index, left);
});

function rowOf(id: number, place: number): Row {
  const kinds = [{ mixed: place % 500 }, { mixed: `t${(place * 31) % 900}` }, {}];
  return { id, place, level: id % 5, ...kinds[id % 3] };
}

function indexOf(segments: number): SearchIndex {
  const index = new SearchIndex({
    // One field is only sorted by: it has no lists of documents.
    filterableAttributes: ["place", "mixed"],
    sortableAttributes: ["place", "level", "mixed"],
    pagination: { maxTotalHits: DOCUMENTS },
  });
  const size = DOCUMENTS / segments;
  for (let from = 0; from < DOCUMENTS; from += size) index.add(rows.slice(from, from + size));
  return index;
}

function comparePages(index: SearchIndex, documents: readonly Row[]): void {
  const scans = mock.method(Column.prototype, "keysInto");
  const fields: readonly Field[] = ["place", "level", "mixed"];
  // By one of the fields that are sorted by: what is left of it lies at one end.
  for (const least of [0, 100, DOCUMENTS / 2, DOCUMENTS - 100]) {
    const left = documents.filter(({ place }) => place >= least);
    for (const field of fields) {
      for (const direction of ["asc", "desc"]) {
        const sorted = left.toSorted(
          (a, b) => compare(a[field], b[field], direction === "desc") || a.id - b.id,
        );
        for (const offset of [0, 20, 255, 3000, 8000, 16_000]) {
          const filter = `place >= ${least}`;
          const sort = [`${field}:${direction}`];
          const { hits } = index.search({ filter, sort, offset, limit: LIMIT });
          const page = sorted.slice(offset, offset + LIMIT);
          deepEqual(idsOf(hits), idsOf(page), `${filter}, ${sort}, ${offset}`);
        }
      }
    }
  }
  ok(scans.mock.callCount() > 0);
  scans.mock.restore();
}

const idsOf = (some: readonly { id: number }[]) => some.map(({ id }) => id);

/** Numbers before texts before nothing, in both directions. */
function compare(a: Row["mixed"], b: Row["mixed"], isDown: boolean): number {
  const kinds = kindOf(a) - kindOf(b);
  if (kinds !== 0 || a === undefined || a === b) return kinds;
  return a < b! === isDown ? 1 : -1;
}

const kindOf = (value: Row["mixed"]) => ["number", "string", "undefined"].indexOf(typeof value);
