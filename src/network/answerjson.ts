// Parses the JSON of another server's answer. It may be wrong or hostile: a long one is read in slices, with
// other requests in between, and what it may hold is bounded. Called by remoteanswer.ts, remotelist.ts and
// facetsearch.ts.
import { JSON_DEPTH_MAX } from "../schemas/depth.ts";
import { type JsonBounds, JsonExcess, parseInSlices, SLICED_LEN_MIN } from "../schemas/slicedjson.ts";

/**
 * Many times what answers of the greatest length (remotecall.ts) hold in practice: an answer may fill them,
 * and take some hundred megabytes for the moment, but not the memory of the machine.
 */
const BOUNDS: JsonBounds = {
  /** Documents may nest deeper than requests do. */
  depthMax: 4 * JSON_DEPTH_MAX,
  containersMax: 16_000_000,
  membersMax: 1_000_000,
  scalarsMax: 64_000_000,
  textsMax: 64_000_000,
};

const UNBOUND: JsonBounds = {
  depthMax: Infinity,
  containersMax: Infinity,
  membersMax: Infinity,
  scalarsMax: Infinity,
  textsMax: Infinity,
};

/** @throws SyntaxError, JsonExcess */
export const answerJson = (text: string): Promise<unknown> => parsed(text, BOUNDS);

/** For texts that this server wrote itself. */
export const ownJson = (text: string): Promise<unknown> => parsed(text, UNBOUND);

/** @throws JsonExcess when a list of the answer has more than `most` items */
export function refuseMore(json: unknown, list: string, most: number): void {
  const given = (json as Record<string, unknown> | null)?.[list];
  if (Array.isArray(given) && given.length > most)
    throw new JsonExcess(`\`${list}\` has ${given.length} items, more than the ${most} that it may have`);
}

async function parsed(text: string, bounds: JsonBounds): Promise<unknown> {
  return text.length < SLICED_LEN_MIN ? JSON.parse(text) : (await parseInSlices(text, bounds)).value;
}
