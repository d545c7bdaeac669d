// src/schemas/compiling.ts in a page: a schema is read anew for each value. The first answer need not wait
// for a compiler and its work, and pages that forbid code made of text (their content security policy) get no
// less.
import type { TSchema } from "typebox";
import { Check } from "typebox/schema";

export function compile(schema: TSchema): (value: unknown) => boolean {
  return (value) => Check(schema, value);
}
