// The documents and queries of the warm-up (src/http/warmup.ts): invented words in the proportions of a
// language, and every way to search them. The same with each build. Called by codecache.mjs.
const DOCUMENTS = 600;
const WORDS = 1500;
const QUERIES = 480;
const SEED = 20261124;

const ONSETS = ["b", "br", "d", "f", "g", "k", "kl", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v", "w"];
const VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "ou"];
const ENDS = ["", "", "", "n", "r", "s", "t", "l", "m", "nd"];
const KINDS = ["book", "film", "game", "map", "song", "tool"];

export const WARM_UP_INDEX = "warm-up";

export const warmUpSettings = {
  searchableAttributes: ["title", "text"],
  filterableAttributes: ["kind", "year"],
  sortableAttributes: ["year", "rating"],
};

/** What the index holds, and the bodies of the searches in it. */
export function makeWarmUp() {
  const random = randomNumbers(SEED);
  const words = makeWords(random);
  const some = (count) => Array.from({ length: count }, () => words[zipf(random, words.length)]);
  const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({
    id,
    title: some(2 + Math.floor(random() * 4)).join(" "),
    text: `${some(8 + Math.floor(random() * 20)).join(" ")}.`,
    kind: KINDS[Math.floor(random() * KINDS.length)],
    year: 1950 + Math.floor(random() * 75),
    rating: Math.floor(random() * 100) / 10,
  }));
  const queries = Array.from({ length: QUERIES }, (_, number) => {
    const from = documents[Math.floor(random() * documents.length)].text.slice(0, -1).split(" ");
    return { ...queryOf(number, from, random), limit: 20, showRankingScore: true };
  });
  return { documents, queries };
}

/** One kind of query after the other, about words of one document. */
function queryOf(number, from, random) {
  const [first, second, third] = [0, 1, 2].map(() => from[Math.floor(random() * from.length)]);
  const long = from.reduce((best, word) => (word.length > best.length ? word : best));
  const cut = (word) => word.slice(0, Math.max(2, word.length - 2));
  const kinds = [
    () => ({ q: first }),
    () => ({ q: cut(long), attributesToRetrieve: ["id"] }),
    () => ({ q: `${first} ${second}` }),
    () => ({ q: `${first} ${second} ${cut(third)}`, attributesToRetrieve: ["id"] }),
    () => ({ q: from.slice(0, 9).join(" ") }),
    () => ({ q: mistyped(long, 1, random), attributesToRetrieve: ["id"] }),
    () => ({ q: mistyped(long, 2, random) }),
    () => ({ q: `"${from[0]} ${from[1]}" ${third}` }),
    () => ({ q: `${first} -${second}` }),
    () => ({ q: `${from[0]}${from[1]}`, attributesToRetrieve: ["id"] }),
    () => ({ q: first.slice(0, 1 + Math.floor(random() * 2)) }),
    () => ({ q: `${first} ${second}`, matchingStrategy: "all" }),
    () => ({ q: `${first} ${second} ${third}`, matchingStrategy: "frequency" }),
    () => ({ q: first, filter: `kind = ${KINDS[number % KINDS.length]} AND year > 1980`, facets: ["kind"] }),
    () => ({ q: second, sort: ["year:desc"], attributesToRetrieve: ["id"] }),
    () => ({ q: "", sort: ["rating:desc"], facets: ["kind", "year"] }),
    () => ({ q: `${first} ${long}`, attributesToHighlight: ["*"], attributesToCrop: ["text"] }),
  ];
  return kinds[number % kinds.length]();
}

function mistyped(word, times, random) {
  const letters = [...word];
  for (let i = 0; i < times; i++)
    letters[1 + Math.floor(random() * (letters.length - 1))] = VOWELS[Math.floor(random() * 5)];
  return letters.join("");
}

function makeWords(random) {
  const one = (list) => list[Math.floor(random() * list.length)];
  const words = new Set();
  while (words.size < WORDS) {
    const syllables = 1 + Math.floor(random() * 3.5);
    words.add(Array.from({ length: syllables }, () => one(ONSETS) + one(VOWELS) + one(ENDS)).join(""));
  }
  return [...words];
}

/** The first ones are frequent: about as often as their place divides. */
const zipf = (random, count) => Math.floor(count ** random()) - 1;

/** Mulberry32. */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
