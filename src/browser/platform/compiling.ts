// Replaces src/schemas/compiling.ts in pages: a schema is interpreted for each value. The first answer then
// need not wait for a compiler, and pages whose content security policy forbids code made from text work just
// as well.
import type { TSchema } from "typebox";
import { Check } from "typebox/schema";

export function compile(schema: TSchema): (value: unknown) => boolean {
  return (value) => Check(schema, value);
}
