// A check made of a schema: compiled, because a server checks many values by each. In a page another one
// takes its place (tools/browser-platform.mjs). Called by validator.ts.
import type { TSchema } from "typebox";
import { Compile } from "typebox/schema";

export function compile(schema: TSchema): (value: unknown) => boolean {
  const compiled = Compile(schema);
  return (value) => compiled.Check(value);
}
