// Documents that another server has: a run of its list, asked for and read. Called by
// src/operations/networkreads.ts.
import * as Type from "typebox";
import { recordOf } from "../schemas/fields.ts";
import type { Remote } from "../schemas/network.ts";
import { checker } from "../schemas/validator.ts";
import { type ListPart, OUTLINE, type ServerList } from "./documentlists.ts";
import { elementsIn, membersIn } from "./jsonparts.ts";
import { ScoreValueSchema } from "./remoteanswer.ts";
import { callRemote, type RemoteCall, type RemoteTarget } from "./remotecall.ts";
import { PROXY_HEADERS } from "./remotepart.ts";
import { marked } from "./remoterequest.ts";

interface Listing {
  indexUid: string;
  /** As a request has it, without a run. */
  body: Record<string, unknown>;
}

const Answer = Type.Object({
  results: Type.Array(recordOf(Type.Unknown())),
  total: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  sortValues: Type.Optional(Type.Array(Type.Array(ScoreValueSchema))),
});
const checkAnswer = checker(Answer);

/** @throws TarsierError of a `proxy_*` code */
export function readRemoteList(
  target: RemoteTarget,
  { indexUid, body }: Listing,
  [run, isOutline]: ListPart,
  call: RemoteCall,
): Promise<ServerList> {
  const post = {
    apiKey: keyToRead(target.remote),
    path: `/indexes/${indexUid}/documents/fetch`,
    headers: marked(PROXY_HEADERS),
    body: { ...body, ...(isOutline && OUTLINE), ...run, useNetwork: false },
  };
  // Of the outline of a list that is not sorted nothing but the total is asked for.
  const isSorted = isOutline && run.limit > 0;
  return callRemote(target, post, (answer) => readList(answer, isSorted), call);
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
