// Pages of tasks and batches as answers. Their results may be long (settings with a million words), so they
// are made one at a time, with pauses for other requests; a long page is sent in pieces while it is made.
// Called by tasks.ts.
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { Slices } from "../slices.ts";
import type { PageOfUids } from "../tasks/filter.ts";

/** A page up to this length is sent whole. */
const PIECE_LETTERS = 2 ** 20;

export async function sendPage<View>(reply: FastifyReply, page: PageOfUids<View>): Promise<FastifyReply> {
  const pieces = piecesOf(page);
  const { value: first } = await pieces.next();
  const second = await pieces.next();
  reply.type("application/json; charset=utf-8");
  return reply.send(second.done ? first : Readable.from(joined([first, second.value], pieces)));
}

/** The JSON of a page in pieces, none of them empty. */
async function* piecesOf<View>({ uids, viewOf, ...rest }: PageOfUids<View>): AsyncGenerator<string> {
  const slices = new Slices();
  let text = '{"results":[';
  let comma = "";
  for (const uid of uids) {
    const view = viewOf(uid);
    if (view !== null) {
      text += `${comma}${JSON.stringify(view)}`;
      comma = ",";
    }
    if (text.length > PIECE_LETTERS) {
      yield text;
      text = "";
    }
    if (slices.isOver()) await slices.pause();
  }
  yield `${text}],${JSON.stringify(rest).slice(1)}`;
}

async function* joined(first: string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield* first;
  yield* rest;
}
