// Who may do what: checks the key of a request before anything else of it is looked at, and tells the routes
// what the key allows. So far there is one key, the master key, which allows everything; without it everybody
// may do everything.
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { FilterSource } from "../engine/filter/parse.ts";
import { TarsierError } from "../errors.ts";
import type { Visibility } from "../tasks/filter.ts";
import type { App } from "./app.ts";

export interface Access {
  /** Indexes that the key may see; null when it may see all of them. */
  visible: Visibility;
  /** Whether a write may create the index it names. */
  mayCreate(indexUid: string): boolean;
  /**
   * Whether the route may work on this index. For indexes that a body names: that of the path has been
   * checked before the route is called.
   */
  mayUse(indexUid: string): boolean;
  /** Throws `invalid_api_key` where mayUse is false; `place` begins the message, such as `Field ...: `. */
  checkUse(indexUid: string, place?: string): void;
  /** The filter of a search on this index, joined by AND with what a tenant token demands. */
  searchFilter(indexUid: string, filter: FilterSource | null): FilterSource | null;
}

/** What the key of a request allows. */
export function accessOf(_request: FastifyRequest): Access {
  return FULL_ACCESS;
}

/**
 * Puts the check before every route that is registered afterwards. A route says what it needs in
 * `config.action`; one that says nothing is refused at registration, so that none is left open by mistake.
 */
export function guardRoutes(app: App, masterKey: string | null): void {
  const check = masterKey === null ? null : masterKeyCheck(masterKey);
  app.addHook("onRoute", (route) => {
    if (route.method === "OPTIONS") return;
    const action = route.config?.action;
    if (action === undefined) throw new Error(`The route ${route.method} ${route.url} names no action`);
    if (action === null || check === null) return;
    route.onRequest = [check, route.onRequest ?? []].flat();
  });
}

const FULL_ACCESS: Access = {
  visible: null,
  mayCreate: () => true,
  mayUse: () => true,
  checkUse: () => {},
  searchFilter: (_indexUid, filter) => filter,
};

type Check = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

function masterKeyCheck(masterKey: string): Check {
  const expected = digest(masterKey);
  return (request, _reply, done) => {
    const [scheme, key] = (request.headers.authorization ?? "").split(" ", 2);
    if (scheme !== "Bearer") return done(new TarsierError("missing_authorization_header"));
    if (!timingSafeEqual(digest(key ?? ""), expected))
      return done(new TarsierError("invalid_api_key", { detail: "" }));
    done();
  };
}

/** Equal lengths for the comparison, whatever was sent. */
function digest(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
