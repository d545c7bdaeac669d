// Searches those indexes of a federated search that one thread got: one after another, their best hits in one
// list. Only hits that are left at the end are read and written. Called by ../searchthread.ts; which thread
// gets which indexes is decided in groups.ts, and the lists of all threads and servers are merged in
// src/network/federatedsearch.ts.
import { TarsierError } from "../../errors.ts";
import type { IndexHandle } from "../indexhandle.ts";
import type { SearchTools } from "../search/collection.ts";
import { writtenAnswer } from "./answerbytes.ts";
import type { FederatedRequest, IndexAnswer } from "./asked.ts";
import { type BestHits, bestHits } from "./besthits.ts";
import { searchIndex } from "./indexsearch.ts";

/**
 * The answer as bytes (answerbytes.ts). `open`: the index stays open, at the same version, until the group is
 * done.
 */
export function searchGroup(open: (index: IndexHandle) => SearchTools, request: FederatedRequest): Buffer {
  const isHybrid = request.indexes.some(({ queries }) => queries.some(({ query }) => query.hybrid !== null));
  const best = bestHits(request.wanted, request.distinct === null && !isHybrid);
  const answers: IndexAnswer[] = [];
  let last: SearchTools | null = null;
  for (const [order, one] of request.indexes.entries()) {
    try {
      last = open(one.index);
    } catch (error) {
      return writtenAnswer({ answers: [], lists: [], passed: 0, refused: { order, ...refusalOf(error) } });
    }
    answers.push(searchIndex(last, { order, request: one, frame: request }, best));
    // The request is refused because of this index or one before it.
    if (answers[order].fault) break;
  }
  const isVoid = answers.some(({ fault, embeddings }) => fault || embeddings.length > 0);
  if (!isVoid) last?.reader.share.cache.beginTurn();
  const passed = isVoid ? 0 : best.pass(request.passed);
  const isWhole = !isVoid && writeHits(best, answers);
  return writtenAnswer({ answers, lists: isWhole ? best.lists : [], passed, refused: null });
}

/** False when the documents of an index cannot be read; its answer then says so. */
function writeHits(best: BestHits, answers: readonly IndexAnswer[]): boolean {
  for (const hit of best.lists.flat()) {
    try {
      hit.write();
    } catch (error) {
      answers[hit.order].fault = { position: null, ...refusalOf(error) };
      return false;
    }
  }
  return true;
}

/** @throws errors that are not refusals */
function refusalOf(error: unknown): Pick<TarsierError, "code" | "message"> {
  if (!(error instanceof TarsierError)) throw error;
  const { code, message } = error;
  return { code, message };
}
