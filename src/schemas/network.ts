// Body of PATCH /network, and the object that GET and PATCH answer: the name of this instance, whether
// documents are spread over the network, and the other instances.
import type { Static } from "typebox";
import * as Type from "typebox";
import { flag, optional, recordOf, strictObject, text } from "./fields.ts";

/** `url` is required only for a remote that is not known yet, which a schema cannot express. */
const RemotePatch = strictObject(
  { url: optional(text), searchApiKey: optional(text), writeApiKey: optional(text) },
  {
    "x-codes": {
      url: "invalid_network_url",
      searchApiKey: "invalid_network_search_api_key",
      writeApiKey: "invalid_network_write_api_key",
    },
  },
);
export type RemotePatch = Static<typeof RemotePatch>;

export const NetworkPatch = strictObject(
  {
    self: optional(text),
    sharding: optional(flag),
    remotes: optional(recordOf(Type.Union([RemotePatch, Type.Null()]))),
    // Fields of later versions of the API: clients reset them, and there are none here.
    leader: Type.Optional(Type.Null()),
    shards: Type.Optional(Type.Null()),
  },
  {
    "x-codes": {
      self: "invalid_network_self",
      sharding: "invalid_network_sharding",
      remotes: "invalid_network_remotes",
    },
  },
);
export type NetworkPatch = Static<typeof NetworkPatch>;

export interface Remote {
  url: string;
  /** Secrets: shown to those who may read the network, and sent only to the remote. */
  searchApiKey: string | null;
  writeApiKey: string | null;
}

export interface Network {
  self: string | null;
  sharding: boolean;
  remotes: Record<string, Remote>;
  /** Whether this server has left, and keeps no documents any more. Not shown. */
  hasLeft?: boolean;
}
