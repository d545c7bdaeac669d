// A page of the documents of all servers of the network, each of which lists its own. Called by
// src/operations/networkreads.ts.
//
// The page takes from the list of each server one run, whose place is found first: without a sort, the
// documents of one server stand behind those of another and counts tell it; with one, the values that the
// documents are sorted by are merged. Then only these runs are read, however far into the lists they are.
//
//   list of a    a0 a1 a2 a3          offset 2, limit 3
//   list of b    b0 b1 b2             merged: a0 b0 | b1 a1 b2 | a2 a3    of a: 1 from 1, of b: 2 from 1
import { mergedHits } from "../engine/federation/merge.ts";
import type { ScoreValue } from "../engine/federation/scorevalues.ts";
import type { ErrorObject } from "../errors.ts";
import { U32_MAX } from "../schemas/fields.ts";
import type { Asked } from "./remotecall.ts";

export interface ServerList {
  /** Of all its documents that the listing is about. */
  total: number;
  /** JSON as written. */
  results: readonly string[];
  /** Of each result of an outline; null where there is no sort. */
  sortValues: readonly (readonly ScoreValue[])[] | null;
}

/** A run of a list. */
export interface Run {
  offset: number;
  limit: number;
}

/** `isOutline`: only what decides the order is wanted, not the documents. */
export type ListPart = [run: Run, isOutline: boolean];

export interface ListingServer {
  name: string;
  /** What it throws makes the whole page fail; an error makes the server's part missing. */
  list(...part: ListPart): Promise<Asked<ServerList>>;
}

/** What an outline asks for of the documents. */
export const OUTLINE = { fields: [], retrieveVectors: false };

/** What each server answered; null: it has not. */
type Answers = (ServerList | null)[];

export interface NetworkPage {
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

/** What a page is made of: stretches of documents of one server, and where the run of each begins. */
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

/** Of each server the run that is to be read; null: nothing. */
function runsOf({ stretches, starts }: Places): (Run | null)[] {
  const limits = starts.map(() => 0);
  for (const { server, count } of stretches) limits[server] += count;
  return limits.map((limit, server) => (limit > 0 ? { offset: starts[server], limit } : null));
}

/** Documents that went between the two calls are missing. */
function arranged({ stretches }: Places, lists: Answers): string[] {
  const next = lists.map(() => 0);
  return stretches.flatMap(({ server, count }) => {
    const from = next[server];
    next[server] += count;
    return lists[server]?.results.slice(from, from + count) ?? [];
  });
}
