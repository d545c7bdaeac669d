// The search of the core (assembly/search), for src/engine/search. All pointers are byte addresses in the
// scratch memory.

export interface SearchExports {
  searchBegin(setup: number): void;
  searchNodes(nodes: number, count: number, terms: number): void;
  searchExclude(bitmap: number): void;
  searchWord(ranges: number): number;
  searchPhrase(phrase: number): number;
  searchTolerant(ranges: number, segment: number): number;
  searchSplit(text: number, length: number, asked: number): number;
  searchMatched(universe: number, strategy: number): number;
  searchPaths(): number;
  searchRule(rule: number, count: number, list: number, bitmap: number, paths: number): number;
  searchNext(run: number): number;
  searchTogether(
    rules: number,
    ruleCount: number,
    buckets: number,
    count: number,
    most: number,
    ranked: number,
    isLast: number,
    out: number,
  ): void;
  searchIsWord(paths: number): number;
  searchHolding(paths: number, documents: number): number;
  searchAlone(paths: number, documents: number): number;
  searchLayout(out: number): void;
}
