// Parses which log lines are wanted: `info`, or `warn,http=debug`. A part without a level means all its
// lines. Called by logoutput.ts and the routes of logs.ts.
import { TarsierError } from "../errors.ts";
import { foundIn } from "../schemas/phrases.ts";

/** Numbers of the levels in log records. */
export const LEVELS = { off: Number.POSITIVE_INFINITY, error: 50, warn: 40, info: 30, debug: 20, trace: 10 };
export type Level = keyof typeof LEVELS;

export interface LogTarget {
  /** The least level for parts that are not named. */
  otherwise: number;
  parts: ReadonlyMap<string, number>;
}

/**
 * The parts by the names that Meilisearch has for them, where they may be followed by a module
 * (`milli::search`). Taken for parts that never write, they would leave even errors unlogged.
 */
const PARTS_ELSEWHERE = new Map([
  ["meilisearch", "http"],
  ["index_scheduler", "tasks"],
  ["milli", "engine"],
]);

/** @throws TarsierError `bad_request` */
export function parseTarget(text: string): LogTarget {
  const parts = new Map<string, number>();
  let otherwise = LEVELS.off;
  for (const item of text.split(",")) {
    const [, part, level] = /^\s*([\w:.-]+)\s*(?:=\s*(\w+)\s*)?$/.exec(item) ?? refuse(text);
    const bare = levelOf(part);
    const name = PARTS_ELSEWHERE.get(part.split("::", 1)[0]) ?? part;
    if (level !== undefined) parts.set(name, levelOf(level) ?? refuse(text));
    else if (bare !== undefined) otherwise = bare;
    else parts.set(name, LEVELS.trace);
  }
  return { otherwise, parts };
}

/** The lowest level at which any part is wanted. */
export function leastLevel({ otherwise, parts }: LogTarget): number {
  let least = otherwise;
  for (const level of parts.values()) least = Math.min(least, level);
  return least;
}

export function isWanted({ otherwise, parts }: LogTarget, level: number, part: string | undefined): boolean {
  return level >= ((part === undefined ? undefined : parts.get(part)) ?? otherwise);
}

function levelOf(text: string): number | undefined {
  const name = text.toLowerCase();
  return Object.hasOwn(LEVELS, name) ? LEVELS[name as Level] : undefined;
}

function refuse(text: string): never {
  const expected = `levels (${Object.keys(LEVELS).join(", ")}), or parts with a level such as \`http=debug\``;
  const message = `Field \`.target\`: expected ${expected}, separated by commas, but found ${foundIn(text)}`;
  throw new TarsierError("bad_request", { message });
}
