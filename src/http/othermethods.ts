// Answers known paths with a wrong method: 405, with the methods that exist. Called by server.ts.
import createRouter, { type HTTPVersion, type Instance as Router } from "find-my-way";
import type { App } from "./app.ts";

export const METHODS = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];

/** How fastify compares paths with routes. */
interface PathOptions {
  ignoreTrailingSlash: boolean;
  ignoreDuplicateSlashes: boolean;
  maxParamLength: number;
}

/** Methods by the pattern of their path, such as `/tasks/:taskUid`. */
type KnownPaths = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Call it before routes are registered, because it watches them; call the function that it returns once all
 * are.
 *
 * Most of these requests match no route: a separate router, made for the first of them, tells whether the
 * path is known. Routes that refuse would be five times as many as all others; they are added only where
 * another route would take the request (refuseTaken).
 */
export function refuseOtherMethods(app: App, options: PathOptions): (target: App) => void {
  const known = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method, config }) => {
    if (config?.isRefusal) return;
    const methods = known.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    known.set(url, methods);
  });
  let router: Router<HTTPVersion.V1> | null = null;
  // Before the body is read.
  app.addHook("preParsing", (request, reply, payload, done) => {
    if (!request.is404 || request.method === "OPTIONS") {
      done(null, payload);
      return;
    }
    router ??= routerOf(known, options);
    const allow = router.find("GET", request.raw.url ?? "")?.store as string | undefined;
    if (allow === undefined) reply.code(404).send();
    else reply.code(405).header("allow", allow).send();
  });
  return (target) => refuseTaken(target, known);
}

function routerOf(known: KnownPaths, options: PathOptions): Router<HTTPVersion.V1> {
  const router = createRouter<HTTPVersion.V1>(options);
  for (const [url, methods] of known)
    if (!url.includes("*")) router.on("GET", url, () => {}, allowed(methods));
  return router;
}

/**
 * Adds refusing routes where a route with a parameter would match instead: in `GET /tasks/cancel`, `cancel`
 * is not a task.
 */
function refuseTaken(target: App, known: KnownPaths): void {
  const paths = [...known].map(([url, methods]) => ({ url, methods, parts: url.split("/") }));
  for (const { url, methods, parts } of paths) {
    const takers = paths.filter((other) => other.url !== url && takes(other.parts, parts));
    const taken = METHODS.filter(
      (one) => !methods.has(one) && takers.some((their) => their.methods.has(one)),
    );
    if (taken.length === 0) continue;
    target.route({
      url,
      method: taken,
      config: { action: null, isRefusal: true },
      onRequest: (_request, reply, _done) => {
        reply.code(405).header("allow", allowed(methods)).send();
      },
      handler: () => {},
    });
  }
}

/**
 * Whether a path, given by its parts, matches this pattern, which has parameters where the path has words.
 */
function takes(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.length !== path.length || path.includes("*")) return false;
  return pattern.every((part, at) => part === path[at] || part.startsWith(":"));
}

const allowed = (methods: ReadonlySet<string>): string => [...methods].sort().join(", ");
