// Parses the JSON of another server's answer. It may be wrong or hostile: a long one is read in slices, with
// other requests in between, and what it may hold is bounded. Called by remoteanswer.ts, remotelist.ts and
// facetsearch.ts.
import { JSON_DEPTH_MAX } from "../schemas/depth.ts";
import { type JsonBounds, parseInSlices, SLICED_LEN_MIN } from "../schemas/slicedjson.ts";

/** More than the longest valid answer holds. */
const BOUNDS: JsonBounds = {
  /** Documents may nest deeper than requests do. */
  depthMax: 4 * JSON_DEPTH_MAX,
  containersMax: 4_000_000,
  membersMax: 1_000_000,
  scalarsMax: 40_000_000,
  textsMax: 8_000_000,
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

async function parsed(text: string, bounds: JsonBounds): Promise<unknown> {
  return text.length < SLICED_LEN_MIN ? JSON.parse(text) : (await parseInSlices(text, bounds)).value;
}
