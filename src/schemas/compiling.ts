// Makes a check from a schema: compiled, as a server checks many values with each. In pages another file
// replaces this one (tools/browser-platform.mjs). Called by validator.ts.
import type { TSchema } from "typebox";
import { Compile } from "typebox/schema";

export function compile(schema: TSchema): (value: unknown) => boolean {
  const compiled = Compile(schema);
  return (value) => compiled.Check(value);
}
