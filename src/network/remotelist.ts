// Documents that another server has: a run of its list, asked for and read. Called by
// src/operations/networkreads.ts.
import * as Type from "typebox";
import { recordOf } from "../schemas/fields.ts";
import type { Remote } from "../schemas/network.ts";
import { checker } from "../schemas/validator.ts";
import type { ListingServer, ServerList } from "./documentlists.ts";
import { elementsIn, membersIn } from "./jsonparts.ts";
import { ScoreValueSchema } from "./remoteanswer.ts";
import { callRemote, type RemoteCall, type RemoteTarget } from "./remotecall.ts";
import { PROXY_HEADERS } from "./remotepart.ts";

/** What the listing asks for, run and parts of the documents aside. */
interface ListingBody {
  fields?: readonly string[] | null;
  retrieveVectors?: boolean;
  [other: string]: unknown;
}

const Answer = Type.Object({
  results: Type.Array(recordOf(Type.Unknown())),
  total: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  sortValues: Type.Optional(Type.Array(Type.Array(ScoreValueSchema))),
});
const checkAnswer = checker(Answer);

/** Its list throws a TarsierError of a `proxy_*` code. */
export function remoteList(
  { name, remote }: RemoteTarget,
  { indexUid, body }: { indexUid: string; body: ListingBody },
  call: RemoteCall,
): ListingServer {
  const target = { name, remote: { ...remote, searchApiKey: keyToRead(remote) } };
  const path = `/indexes/${indexUid}/documents/fetch`;
  const headers = Object.fromEntries(PROXY_HEADERS.map((header) => [header, "true"]));
  return {
    name,
    list: (run, isOutline) => {
      const parts = isOutline ? { fields: [], retrieveVectors: false } : {};
      const asked = { ...body, ...parts, ...run, useNetwork: false };
      const isSorted = isOutline && run.limit > 0;
      return callRemote(target, { path, headers, body: asked }, (answer) => readList(answer, isSorted), call);
    },
  };
}

/** A list as it came over the network or out of the engine. Throws when it is none. */
export function readList(bytes: Uint8Array, isSorted: boolean): ServerList {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  const { total, sortValues = null, results } = checkAnswer(JSON.parse(text));
  if (isSorted && sortValues?.length !== results.length) throw new Error("the values to sort by are missing");
  // Of members of one name the last counts, as it does to the check.
  const member = membersIn(text).findLast(({ name }) => name === "results");
  return { total, results: elementsIn(member!.value), sortValues };
}

/** Keys for searches often allow nothing else; members that share documents read each other by this one. */
const keyToRead = ({ searchApiKey, writeApiKey }: Remote): string | null => writeApiKey ?? searchApiKey;
