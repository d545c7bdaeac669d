// What calls to another server of the network have in common: addresses below that of the server, and what
// may be told of its answers. Called by all of src/network that asks other servers.
import type { Remote } from "../schemas/network.ts";
import { isSlash, withoutEnd } from "../trimming.ts";

/** Of a remote's text in a message. */
const QUOTE_LEN_MAX = 500;

/** `path`: with its parameters. The server may live below a path of its own. */
export function remoteUrl({ url }: Remote, path: string): URL {
  const target = new URL(url);
  const [pathname, query] = path.split("?");
  target.pathname = `${withoutEnd(target.pathname, isSlash)}${pathname}`;
  if (query) target.search = query;
  return target;
}

/** Headers that say yes. */
export const marked = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, "true"]));

/** The beginning of an answer, without the key that it was asked with. */
export function quoted(answer: string, apiKey: string | null): string {
  return (apiKey ? answer.replaceAll(apiKey, "***") : answer).slice(0, QUOTE_LEN_MAX);
}
