// Parses the JSON of bodies: short ones at once, long ones in slices and one after the other. A few bytes can
// stand for an object that takes a hundred of memory, so the number of objects in a body is bounded, and
// those of long bodies count as memory taken. Called by bodies.ts and by routes whose body may be missing.
import type { FastifyRequest } from "fastify";
import { TarsierError } from "../errors.ts";
import { isDeeper, JSON_DEPTH_MAX } from "../schemas/depth.ts";
import { type IdPlace, mayRound } from "../schemas/exactids.ts";
import { withoutSecretFields } from "../schemas/secretnames.ts";
import {
  type JsonBounds,
  JsonExcess,
  parseAtOnce,
  parseInSlices,
  SLICED_LEN_MIN,
} from "../schemas/slicedjson.ts";
import type { BodyBudget } from "./bodybudget.ts";

/** A level takes two brackets, so no shorter text is nested too deeply. */
const DEEP_LEN_MIN = 2 * JSON_DEPTH_MAX;
const BOUNDS: JsonBounds = {
  depthMax: JSON_DEPTH_MAX,
  containersMax: 2_000_000,
  /** With more, code that looks at each takes seconds. */
  membersMax: 262_144,
  /** Mostly numbers of vectors. */
  scalarsMax: 10_000_000,
  /** Such as words in settings, and ids. */
  textsMax: 1_000_000,
};
/** Of a pair, or of half of one. Most bodies hold none. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
/** Stands for a body that is not UTF-8, parts of which would otherwise be read as other characters. */
export const NO_TEXT = "\ufffd";
/** How much of a body that is not JSON is quoted. */
const SHOWN_LEN_MAX = 50;
/** Least memory of an object or array, besides its text. */
const CONTAINER_BYTES = 48;

export class BodyJson {
  readonly #budget: BodyBudget;
  #last: Promise<unknown> = Promise.resolve();

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /**
   * `ids`: where the body holds numbers that are ids (exactids.ts).
   * @throws TarsierError `missing_payload`, `malformed_payload`
   */
  async read(request: FastifyRequest, ids: IdPlace | null = null): Promise<unknown> {
    if (isShort(request)) return readShort(request, ids);
    const text = request.body as string;
    const reading = this.#last.then(() => this.#readLong(request, text, ids));
    this.#last = reading.catch(() => null);
    return reading;
  }

  async #readLong(request: FastifyRequest, text: string, ids: IdPlace | null): Promise<unknown> {
    // The client has gone, so nobody waits for the answer.
    if (request.raw.socket?.destroyed) throw malformed("its end", "the connection was closed");
    try {
      const { value, containers } = await parseInSlices(text, BOUNDS, ids);
      this.#budget.add(request, containers * CONTAINER_BYTES);
      return value;
    } catch (error) {
      if (error instanceof JsonExcess) throw malformed("its body", error.message);
      throw error instanceof SyntaxError ? noJson(text) : error;
    }
  }
}

/** Whether the body is read at once. */
export function isShort({ body }: FastifyRequest): boolean {
  return !body || (body as string).length < SLICED_LEN_MIN;
}

/** What `read` gives for a short body, without a promise. @throws what `read` throws */
export function readShort({ body }: FastifyRequest, ids: IdPlace | null = null): unknown {
  if (!body) throw new TarsierError("missing_payload", { format: "json" });
  const text = body as string;
  if (text === NO_TEXT) throw malformed("its body", "it holds bytes that are not UTF-8");
  let value: unknown;
  try {
    const differs = SURROGATE_ESCAPE.test(text) || (ids !== null && mayRound(text));
    value = differs ? parseAtOnce(text, BOUNDS, ids) : JSON.parse(text);
  } catch (error) {
    throw error instanceof JsonExcess ? malformed("its body", error.message) : noJson(text);
  }
  if (text.length > DEEP_LEN_MIN && isDeeper(value, JSON_DEPTH_MAX))
    throw malformed("its body", `values are nested deeper than ${JSON_DEPTH_MAX} levels`);
  return value;
}

/** Quotes the beginning of the body, because the messages of JSON.parse differ between runtimes. */
function noJson(text: string): TarsierError {
  const known = withoutSecretFields(text.trimStart().slice(0, SHOWN_LEN_MAX * 20));
  const begin = known.slice(0, SHOWN_LEN_MAX).trimEnd();
  return malformed(begin === "" ? "its start" : `\`${begin}\``, "this is not valid JSON");
}

function malformed(place: string, problem: string): TarsierError {
  return new TarsierError("malformed_payload", { format: "json", place, problem });
}
