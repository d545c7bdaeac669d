// The question of one server to another before documents move between them, and before writes run again: a
// listing that lists nothing, marked with what is needed. operations/movers.ts answers it. Called by
// movetarget.ts and release.ts.
import type { OutboundClient } from "../outbound/client.ts";
import type { Remote } from "../schemas/network.ts";
import { remoteUrl } from "./remoterequest.ts";
import { memberHeaders, type WriteOrigin } from "./sharedwrites.ts";

const BODY = JSON.stringify({ limit: 0, useNetwork: false });

/** Who asks whom for what. */
export type Question = WriteOrigin & Required<Pick<WriteOrigin, "needs">>;

/**
 * The answer: 200, or 404 without the index, when all is done that is needed; else a refusal. Rejects when
 * there is none in time.
 */
export async function askMember(
  outbound: OutboundClient,
  remote: Remote,
  { uid, question }: { uid: string; question: Question },
  limits: { timeoutMs: number; signal: AbortSignal },
): Promise<{ status: number; text: string }> {
  const headers = { "content-type": "application/json", ...memberHeaders(remote, question) };
  const url = remoteUrl(remote, `/indexes/${uid}/documents/fetch`);
  const { status, body } = await outbound.request(url, { method: "POST", headers, body: BODY, ...limits });
  return { status, text: Buffer.from(body).toString() };
}

/** Whether the answer says that all is done. */
export const isGranted = (status: number): boolean => status === 200 || status === 404;
