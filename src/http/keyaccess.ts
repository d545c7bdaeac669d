// What one API key allows, and what a tenant token leaves of that. Made by credentials.ts, checked by
// access.ts before a route, and consulted by the routes.
import { isFilter } from "../engine/filter/feature.ts";
import { TarsierError } from "../errors.ts";
import type { Access, SearchFilter } from "../operations/services.ts";
import { foundIn, nameList } from "../schemas/phrases.ts";
import type { Visibility } from "../tasks/filter.ts";
import { invalidApiKey } from "./failures.ts";
import type { Key } from "./keystore.ts";
import type { TenantToken } from "./tenanttokens.ts";

export class KeyAccess implements Access {
  readonly visible: Visibility;
  readonly key: Key;
  readonly #token: TenantToken | null;

  constructor(key: Key, token: TenantToken | null) {
    this.key = key;
    this.#token = token;
    const isWhole = key.scope.isWhole && (token === null || token.scope.isWhole);
    this.visible = isWhole ? null : (indexUid) => this.mayUse(indexUid);
  }

  get isTenant(): boolean {
    return this.#token !== null;
  }

  /** The key of a remote is described as one that may do everything to documents. */
  get mayRepeat(): boolean {
    return !this.isTenant && this.key.actions.has("documents.*");
  }

  mayCreate(indexUid: string): boolean {
    return this.key.actions.has("indexes.create") && this.mayUse(indexUid);
  }

  mayUse(indexUid: string): boolean {
    return this.key.scope.has(indexUid) && (this.#token === null || this.#token.scope.has(indexUid));
  }

  checkUse(indexUid: string, place = ""): void {
    if (this.mayUse(indexUid)) return;
    // The message shows a tenant its own rules, not those of the key behind its token.
    const [holder, scope] = this.#token ? ["the tenant token", this.#token.scope] : ["it", this.key.scope];
    const hides = this.#token?.scope.has(indexUid) ? "" : `, ${holder} opens ${listOf(scope.patterns)}`;
    throw invalidApiKey(`: not for the index \`${indexUid}\`${hides}`, place);
  }

  /** @throws TarsierError when the key, or the tenant token, has expired */
  checkExpiry(nowMs: number): void {
    if (nowMs >= this.key.expiresMs) {
      const expiry = ` at ${this.key.stored.expiresAt}, and it is ${dateOf(nowMs / 1000)}`;
      throw invalidApiKey(`: it expired${this.#token ? "" : expiry}`);
    }
    const expiresSeconds = this.#token?.expiresSeconds ?? Number.POSITIVE_INFINITY;
    if (Math.floor(nowMs / 1000) <= expiresSeconds) return;
    const moments = `${dateOf(expiresSeconds)}, and it is ${dateOf(nowMs / 1000)}`;
    throw invalidApiKey(`: the tenant token expired at ${moments}`);
  }

  searchFilter(indexUid: string, filter: SearchFilter): SearchFilter {
    const pattern = this.#token?.scope.bestPattern(indexUid) ?? null;
    const demanded = pattern === null ? null : (this.#token?.filters.get(pattern) ?? null);
    if (demanded === null) return filter;
    if (!isFilter(demanded)) throw badFilter(demanded);
    return [...partsOf(demanded), ...partsOf(filter ?? [])];
  }
}

function listOf(patterns: readonly string[]): string {
  return patterns.length === 0 ? "no index" : nameList(patterns);
}

function partsOf(filter: NonNullable<SearchFilter>): (string | string[])[] {
  return typeof filter === "string" ? [filter] : filter;
}

function badFilter(found: unknown): TarsierError {
  const place = "The filter in the tenant token";
  const expected = "a filter expression, or a list of such expressions and lists";
  return new TarsierError("invalid_search_filter", { place, expected, found: foundIn(found) });
}

/** Dates that JavaScript cannot represent are shown as numbers. */
function dateOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString();
}
