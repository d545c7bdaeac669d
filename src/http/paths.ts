// The parts of a path that name something: checked here, since fastify gives them as texts. Called by the
// routes, and by server.ts for every URL.
import type { FastifyRequest } from "fastify";
import { type ErrorCode, TarsierError } from "../errors.ts";
import { U32_MAX } from "../schemas/fields.ts";
import { checkIndexUid } from "../schemas/indexuid.ts";

/**
 * The URL in a form that can be decoded: percent signs that do not introduce a byte stand for themselves, and
 * bytes that are not UTF-8 become U+FFFD. That way it is the route that reports what is wrong with a name,
 * and one such sign in a query does not leave the rest of it encoded.
 */
export function decodableUrl(url: string): string {
  if (!url.includes("%")) return url;
  const [path] = url.split("?", 1);
  const query = url.slice(path.length);
  return path.replace(ENCODED, readable) + (isDecodable(query) ? query : query.replace(ENCODED, readable));
}

const ENCODED = /(?:%[\da-f]{2})+|%/gi;

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** `run`: a lone percent sign, or consecutive encoded bytes. */
const readable = (run: string): string =>
  encodeURIComponent(run === "%" ? run : Buffer.from(run.replaceAll("%", ""), "hex").toString());

/** The `:indexUid` of the path. */
export function indexUidOf(request: FastifyRequest): string {
  return checkIndexUid((request.params as { indexUid: string }).indexUid, "The path");
}

/** A task or batch number in the path. */
export function numberOf(request: FastifyRequest, name: "taskUid" | "batchUid", code: ErrorCode): number {
  const raw = (request.params as Record<string, string>)[name];
  if (/^\d+$/.test(raw) && Number(raw) <= U32_MAX) return Number(raw);
  throw new TarsierError(code, { place: "The path", expected: "a number", found: `\`${raw}\`` });
}
