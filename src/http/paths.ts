// The parts of a path that name something: checked here, since fastify hands them over as text.
import type { FastifyRequest } from "fastify";
import { type ErrorCode, TarsierError } from "../errors.ts";
import { U32_MAX } from "../schemas/fields.ts";
import { checkIndexUid } from "../schemas/indexuid.ts";

/** `:indexUid` of the path. */
export function indexUidOf(request: FastifyRequest): string {
  return checkIndexUid((request.params as { indexUid: string }).indexUid, "The path");
}

/** A task or batch number in the path. */
export function numberOf(request: FastifyRequest, name: "taskUid" | "batchUid", code: ErrorCode): number {
  const raw = (request.params as Record<string, string>)[name];
  if (/^\d+$/.test(raw) && Number(raw) <= U32_MAX) return Number(raw);
  throw new TarsierError(code, { place: "The path", expected: "a number", found: `\`${raw}\`` });
}
