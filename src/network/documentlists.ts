// A page of the documents of all servers of the network, each of which lists its own. Called by
// src/operations/networkreads.ts.
//
// The page takes one run from the list of each server, and first finds the places of these runs: without a
// sort, the lists follow each other, and totals are enough; with one, the sort values of the documents are
// merged. Then only the runs are read, however far down the lists they are.
//
//   list of a    a0 a1 a2 a3          offset 2, limit 3
//   list of b    b0 b1 b2             merged: a0 b0 | b1 a1 b2 | a2 a3    of a: 1 from 1, of b: 2 from 1
import { mergedHits } from "../engine/federation/merge.ts";
import type { ScoreValue } from "../engine/search/scorevalues.ts";
import type { ErrorObject } from "../errors.ts";
import { U32_MAX } from "../schemas/fields.ts";
import type { Asked } from "./remotecall.ts";

export interface ServerList {
  /** Number of its documents that the listing selects. */
  total: number;
  /** The JSON of each, as written. */
  results: readonly string[];
  /** For each result of an outline; null without a sort. */
  sortValues: readonly (readonly ScoreValue[])[] | null;
}

/** Consecutive documents of a list. */
export interface Run {
  offset: number;
  limit: number;
}

/** `isOutline`: only what decides the order is asked for, not the documents. */
export type ListPart = [run: Run, isOutline: boolean];

export interface ListingServer {
  name: string;
  /** If it throws, the whole page fails; if it returns an error, only the part of this server is missing. */
  list(...part: ListPart): Promise<Asked<ServerList>>;
}

/** The parts of a document that an outline asks for. */
export const OUTLINE = { fields: [], retrieveVectors: false };

/** The answer of each server; null: it did not answer. */
type Answers = (ServerList | null)[];

interface NetworkPage {
  results: string[];
  total: number;
  /** By name of the server. */
  errors: Record<string, ErrorObject>;
}

export async function listEverywhere(
  servers: readonly ListingServer[],
  { offset, limit, isSorted }: Run & { isSorted: boolean },
): Promise<NetworkPage> {
  const errors = new Map<string, ErrorObject>();
  const ask = async (runs: readonly (Run | null)[], isOutline: boolean): Promise<Answers> => {
    const calls = servers.map((server, i) => {
      const run = runs[i];
      return run && server.list(run, isOutline);
    });
    const outcomes = await Promise.all(calls);
    for (const outcome of outcomes) if (outcome?.error) errors.set(outcome.name, outcome.error);
    return outcomes.map((outcome) => outcome?.answer ?? null);
  };
  const outline = { offset: 0, limit: isSorted ? Math.min(U32_MAX, offset + limit) : 0 };
  const outlines = await ask(
    servers.map(() => outline),
    true,
  );
  const places = isSorted ? mergedPlaces(outlines, offset, limit) : placesInTurn(outlines, offset, limit);
  const lists = await ask(runsOf(places), false);
  return {
    results: arranged(places, lists),
    total: outlines.reduce((sum, list) => sum + (list?.total ?? 0), 0),
    errors: Object.fromEntries(errors),
  };
}

/**
 * How a page is put together: stretches of documents, each of one server, and where the run of each server
 * begins.
 */
interface Places {
  stretches: { server: number; count: number }[];
  starts: number[];
}

function placesInTurn(outlines: Answers, offset: number, limit: number): Places {
  const places: Places = { stretches: [], starts: [] };
  let skipped = 0;
  let taken = 0;
  for (const [server, list] of outlines.entries()) {
    const total = list?.total ?? 0;
    const start = Math.min(total, offset - skipped);
    const count = Math.min(total - start, limit - taken);
    places.starts.push(start);
    places.stretches.push({ server, count });
    skipped += start;
    taken += count;
  }
  return places;
}

function mergedPlaces(outlines: Answers, offset: number, limit: number): Places {
  const places: Places = { stretches: [], starts: outlines.map(() => 0) };
  const lists = outlines.map((list, order) => {
    return (list?.sortValues ?? []).map((values) => ({ values, weightedScore: 0, position: 0, order }));
  });
  let skipped = 0;
  for (const { order: server } of mergedHits(lists)) {
    if (places.stretches.length === limit) break;
    if (skipped === offset) places.stretches.push({ server, count: 1 });
    else {
      places.starts[server]++;
      skipped++;
    }
  }
  return places;
}

/** For each server the run to read; null: nothing. */
function runsOf({ stretches, starts }: Places): (Run | null)[] {
  const limits = starts.map(() => 0);
  for (const { server, count } of stretches) limits[server] += count;
  return limits.map((limit, server) => (limit > 0 ? { offset: starts[server], limit } : null));
}

/** The page. Documents deleted between the two calls are missing from it. */
function arranged({ stretches }: Places, lists: Answers): string[] {
  const next = lists.map(() => 0);
  return stretches.flatMap(({ server, count }) => {
    const from = next[server];
    next[server] += count;
    return lists[server]?.results.slice(from, from + count) ?? [];
  });
}
