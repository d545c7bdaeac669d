// What calls to other servers of the network have in common: addresses below that of the server, and what may
// be shown of answers. Called by every file of src/network that makes requests.
import type { Remote } from "../schemas/network.ts";
import { isSlash, withoutEnd } from "../trimming.ts";

/** Longest quotation from a remote in a message. */
const QUOTE_LEN_MAX = 500;

/** `path`: with its parameters. The URL of the server may have a path itself. */
export function remoteUrl({ url }: Remote, path: string): URL {
  const target = new URL(url);
  const [pathname, query] = path.split("?");
  target.pathname = `${withoutEnd(target.pathname, isSlash)}${pathname}`;
  if (query) target.search = query;
  return target;
}

/** Headers with the value `true`. */
export const marked = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, "true"]));

/** The beginning of an answer, with the key of the request masked. */
export function quoted(answer: string, apiKey: string | null): string {
  return (apiKey ? answer.replaceAll(apiKey, "***") : answer).slice(0, QUOTE_LEN_MAX);
}
