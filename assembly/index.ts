// The whole ABI of the core: all that these files export. Kernels take pointers and lengths, return counts or
// negative error codes, and never allocate: the host hands them regions of linear memory (src/core/core.ts).
// Only the search (search/index.ts) takes memory, from a region that it is given.
export * from "./memory";
export * from "./crc32c";
export * from "./lz4";
export { packBlock, packWidth, unpackBlock, unpackDelta } from "./pack";
export {
  bitmapAnd,
  bitmapAndCount,
  bitmapAndNot,
  bitmapAndNotInto,
  bitmapAny,
  bitmapCount,
  bitmapFromList,
  bitmapHas,
  bitmapMeet,
  bitmapOr,
  bitmapOrInto,
  bitmapSample,
  bitmapSet,
  bitmapToList,
} from "./bitmap";
export {
  postingsAnyOutside,
  postingsCount,
  postingsDecode,
  postingsFirst,
  postingsIntoBitmap,
  postingsUpTo,
} from "./postings";
// Exported for their tests: searches call them inside the core.
export { listPairs } from "./lists";
export { matchNear, matchNearBytes } from "./matching-near";
export { rankingBeginnings, rankingWhole } from "./ranking-beginnings";
export { rankingSelect, rankingTotals } from "./ranking-costs";
export { rankingNear, rankingSortChains } from "./ranking-near";
export { placeOf } from "./ranking-walk";
export * from "./search/index";
export { postingsEncode } from "./postings-writer";
export * from "./postings-merge";
export * from "./term-starts";
export * from "./occurrences";
export * from "./inverter";
export { inverterSort, inverterTerm, inverterTermBytes, inverterTermLength } from "./inverter-sort";
export * from "./inverter-encode";
export {
  KIND_BARE,
  KIND_EMPTY,
  KIND_NULL,
  KIND_NUMBER,
  KIND_TEXT,
  numberKey,
  valuesFree,
  valuesOverhead,
  valuesStart,
} from "./values";
export * from "./values-columns";
export { bitsRead, bitsWrite } from "./column-bits";
export * from "./column-scan";
export * from "./column-writer";
export * from "./column-merge";
export * from "./column-reader";
export * from "./column-counts";
export * from "./column-texts";
export * from "./points";
export * from "./selection";
export * from "./document-blocks";
export * from "./dictionary";
export * from "./dictionary-cursor";
export * from "./dictionary-writer";
export * from "./fuzzy";
export { dictionaryPlanes, dictionaryPlanesBytes } from "./fuzzy-planes";
export {
  touched,
  vectorQuery,
  vectorQueryBytes,
  vectorQueryOfRow,
  vectorRowBytes,
  vectorRows,
} from "./vectors";
export { vectorDistance, vectorRowsDistance } from "./vector-distances";
export * from "./vector-scan";
export { nearestSort } from "./nearest";
export { graphCheck } from "./graph-format";
export { graphNearest, graphScratchBytes } from "./graph-search";
export {
  graphBuilderBytes,
  graphFinish,
  graphList,
  graphPlan,
  graphRoomBytes,
  graphSize,
  graphStart,
} from "./graph-build";
export { graphInsert } from "./graph-insert";
export { graphCopyItems, graphCopyLayers, graphCopyStart } from "./graph-copy";
export * from "./json";
export * from "./json-ids";
export { jsonSelect } from "./json-select";
export { jsonVectorLists, jsonVectors } from "./json-vectors";
export * from "./json-walker";
export * from "./identifiers";
export * from "./identifier-section";
export * from "./text-search";
export * from "./tokenizer";

/** First byte above the static data: everything from here on belongs to the host. */
export function heapBase(): usize {
  return __heap_base;
}
