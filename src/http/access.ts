// Who may do what: checks the key of a request before anything else in it, and tells the routes what the key
// allows. Without a master key everybody may do everything except manage keys.
//
//   Authorization -> master key: everything
//                 -> API key (keystore.ts): its actions, on its indexes
//                 -> tenant token (tenanttokens.ts): searches, on the indexes of its key that it names
import type { FastifyReply, FastifyRequest } from "fastify";
import { TarsierError } from "../errors.ts";
import { type Access, FULL_ACCESS } from "../operations/services.ts";
import { type Action, isForMaster, isForTenants, isLimitable } from "../schemas/actions.ts";
import { nameList } from "../schemas/phrases.ts";
import type { App } from "./app.ts";
import { Credentials, presentedKey } from "./credentials.ts";
import { invalidApiKey } from "./failures.ts";
import type { KeyAccess } from "./keyaccess.ts";
import type { KeyStore } from "./keystore.ts";

/** What the key of a request allows. */
export function accessOf(request: FastifyRequest): Access {
  const { access } = request;
  if (access === null) throw new Error("The route is open to everybody: there is no key to ask about");
  return access;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the check of the route; null until then, and on routes open to everybody. */
    access: Access | null;
  }
}

/**
 * Puts the check in front of every route registered afterwards. A route states what it needs in
 * `config.action`; one that states nothing is refused at registration, so that none is left open by mistake.
 * `keys`: null without a master key.
 */
export function guardRoutes(app: App, keys: KeyStore | null): void {
  app.decorateRequest("access", null);
  const authorize = keys === null ? authorizeAll : authorizeBy(keys);
  app.addHook("onRoute", (route) => {
    if (route.method === "OPTIONS") return;
    const action = route.config?.action;
    if (action === undefined) throw new Error(`The route ${route.method} ${route.url} names no action`);
    if (action === null) return;
    const hook = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
      try {
        request.access = authorize(request, action);
      } catch (error) {
        done(error as Error);
        return;
      }
      done();
    };
    route.onRequest = [hook, route.onRequest ?? []].flat();
  });
}

type Authorize = (request: FastifyRequest, action: Action) => Access;

/** Without a master key the key that is sent does not matter, but the form of the header is checked. */
const authorizeAll: Authorize = ({ headers }, action) => {
  if (isForMaster(action)) throw new TarsierError("missing_master_key");
  if (headers.authorization !== undefined) presentedKey(headers.authorization);
  return FULL_ACCESS;
};

function authorizeBy(keys: KeyStore): Authorize {
  const credentials = new Credentials(keys);
  return ({ headers, params }, action) => {
    const holder = credentials.holderOf(headers.authorization);
    if (holder === "master") return FULL_ACCESS;
    if (isForMaster(action)) throw invalidApiKey(": only the master key opens /keys");
    // On other routes a tenant token counts as an unknown key.
    if (holder.isTenant && !isForTenants(action)) throw invalidApiKey();
    check(holder, action, (params as { indexUid?: string }).indexUid);
    return holder;
  };
}

function check(access: KeyAccess, action: Action, indexUid: string | undefined): void {
  access.checkExpiry(Date.now());
  if (indexUid !== undefined) access.checkUse(indexUid);
  const { actions, scope } = access.key;
  if (!actions.has(action)) throw invalidApiKey(`: it lacks the action \`${action}\``);
  if (indexUid !== undefined || scope.isWhole || isLimitable(action)) return;
  const patterns = nameList(scope.patterns);
  throw invalidApiKey(`: the action \`${action}\` needs a key for all indexes, this one has ${patterns}`);
}
