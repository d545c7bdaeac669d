// What operations work with, and on whose behalf: given by the routes for each request (src/http/app.ts), and
// once by the library.
import type { Engine } from "../engine/engine.ts";
import type { Turn } from "../engine/turn.ts";
import type { Outbox } from "../network/outbox.ts";
import type { OutboundClient } from "../outbound/client.ts";
import type { SearchQuery } from "../schemas/search.ts";
import type { Visibility } from "../tasks/filter.ts";
import type { Instance } from "../tasks/instance.ts";

export interface OperationServices {
  instance: Instance;
  engine: Engine;
  /** For calls to the remotes of the network. */
  outbound: OutboundClient;
  /** Sends writes to them; null: they wait in the folder for a server. */
  outbox: Outbox | null;
  remoteTimeoutMs: number;
  /** Most bytes of documents in one addition. */
  payloadBytesMax: number;
  /** Gets each piece of documents once it is read. */
  release?(piece: Uint8Array): void;
  /** Waits for the turn of a search. */
  inTurn<T>(search: (turn: Turn) => Promise<T>): Promise<T>;
}

/** Who asks. */
export interface Requester {
  access: Access;
  /** Answers of searches carry `metadata`. */
  wantsMetadata: boolean;
  /** Another server of the network asks, whose answer this becomes a part of. */
  isForRemote: boolean;
  /** It wants to be told where the hits lie (src/network/hitbytes.ts). */
  wantsHitBytes: boolean;
  /** What another server tells of a write that it repeats here, as it was sent. */
  writeOrigin: string | null;
}

export type SearchFilter = SearchQuery["filter"];

/** What the key of a request allows. */
export interface Access {
  /** Indexes that the key may see; null when it may see all of them. */
  readonly visible: Visibility;
  /** Whether a write may create the index it names. */
  mayCreate(indexUid: string): boolean;
  /** Whether a write may say that another server of the network sends it: the key is that of a remote. */
  readonly mayRepeat: boolean;
  /**
   * Whether the route may work on this index. For indexes that a body names: that of the path has been
   * checked before the route is called.
   */
  mayUse(indexUid: string): boolean;
  /** Throws `invalid_api_key` where mayUse is false; `place` begins the message, such as `Field ...: `. */
  checkUse(indexUid: string, place?: string): void;
  /** The filter of a search on this index, joined by AND with what a tenant token demands. */
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
