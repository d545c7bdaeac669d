// Asks another server for a run of its list of documents, and reads it. Called by
// src/operations/networkreads.ts.
import * as Type from "typebox";
import { recordOf } from "../schemas/fields.ts";
import type { Remote } from "../schemas/network.ts";
import { checker } from "../schemas/validator.ts";
import { answerJson, ownJson } from "./answerjson.ts";
import { type ListPart, OUTLINE, type ServerList } from "./documentlists.ts";
import { elementsIn, membersIn } from "./jsonparts.ts";
import { ScoreValueSchema } from "./remoteanswer.ts";
import { callRemote, type RemoteCall, type RemoteTarget } from "./remotecall.ts";
import { PROXY_HEADERS } from "./remotepart.ts";
import { marked } from "./remoterequest.ts";

interface Listing {
  indexUid: string;
  /** The body of a request, without the run. */
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
  // The outline of an unsorted list asks only for the total.
  const isSorted = isOutline && run.limit > 0;
  return callRemote(target, post, (answer) => readList(answer, isSorted), call);
}

/** A list that came over the network. Throws if it is not valid. */
export async function readList(bytes: Uint8Array, isSorted: boolean): Promise<ServerList> {
  const text = textOf(bytes);
  const list = listIn(text, await answerJson(text));
  if (isSorted && list.sortValues?.length !== list.results.length)
    throw new Error("the values to sort by are missing");
  return list;
}

/** A list as the engine of this server gives it. */
export async function readOwnList(bytes: Uint8Array): Promise<ServerList> {
  const text = textOf(bytes);
  return listIn(text, await ownJson(text));
}

const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString();

function listIn(text: string, json: unknown): ServerList {
  const { total, sortValues = null } = checkAnswer(json);
  // Of several members with this name the last counts, as it does for the check.
  const member = membersIn(text).findLast(({ name }) => name === "results");
  return { total, results: elementsIn(member!.value), sortValues };
}

/**
 * The write key if there is one: keys for searches often allow nothing else, and members that share documents
 * have this one.
 */
const keyToRead = ({ searchApiKey, writeApiKey }: Remote): string | null => writeApiKey ?? searchApiKey;
