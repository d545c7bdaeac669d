// What operations work with, and on whose behalf. Given by the routes for each request (src/http/app.ts), and
// once by the library.
import type { Engine } from "../engine/engine.ts";
import type { Turn } from "../engine/turn.ts";
import type { Outbox } from "../network/outbox.ts";
import type { Release } from "../network/release.ts";
import type { OutboundClient } from "../outbound/client.ts";
import type { SearchQuery } from "../schemas/search.ts";
import type { Visibility } from "../tasks/filter.ts";
import type { Instance } from "../tasks/instance.ts";
import type { Place } from "../tasks/writeorder.ts";

export interface OperationServices {
  instance: Instance;
  engine: Engine;
  /** For calls to the other servers of the network. */
  outbound: OutboundClient;
  /** Sends writes to those servers; null: the writes wait in the folder until a server opens it. */
  outbox: Outbox | null;
  /** Ends the hold on writes; null: none is held. */
  holdRelease: Release | null;
  remoteTimeoutMs: number;
  /** Most bytes of documents in one addition. */
  payloadBytesMax: number;
  /** Called with each piece of documents once it is read. */
  release?(piece: Uint8Array): void;
  /** Runs a search when it is its turn. */
  inTurn<T>(search: (turn: Turn) => Promise<T>): Promise<T>;
}

/** Who makes the request. */
export interface Requester {
  access: Access;
  /** Answers of searches carry `metadata`. */
  wantsMetadata: boolean;
  /** Another server of the network asks, and will make the answer part of its own. */
  isForRemote: boolean;
  /** That server also asks for the byte range of each hit (src/network/hitbytes.ts). */
  wantsHitBytes: boolean;
  /** When another server repeats one of its writes here: what it says of it, as sent. */
  writeOrigin: string | null;
  /** Of its write among others; null: it is registered as soon as it can be. */
  place: Place | null;
}

export type SearchFilter = SearchQuery["filter"];

/** What the key of a request allows. */
export interface Access {
  /** Indexes that the key may see; null: all of them. */
  readonly visible: Visibility;
  /** Whether a write may create the index it names. */
  mayCreate(indexUid: string): boolean;
  /** Whether a write may claim to come from another server: its key must be that of a remote. */
  readonly mayRepeat: boolean;
  /**
   * Whether the route may work on this index. Meant for indexes named in a body: the one in the path is
   * checked before the route is called.
   */
  mayUse(indexUid: string): boolean;
  /** Throws `invalid_api_key` where mayUse is false; `place` precedes the message, such as `Field ...: `. */
  checkUse(indexUid: string, place?: string): void;
  /** The filter of a search on this index, joined by AND with the filter that a tenant token imposes. */
  searchFilter(indexUid: string, filter: SearchFilter): SearchFilter;
}

export const FULL_ACCESS: Access = {
  visible: null,
  mayCreate: () => true,
  mayRepeat: true,
  mayUse: () => true,
  checkUse: () => {},
  searchFilter: (_indexUid, filter) => filter,
};
