// The refusal of a value of a wrong kind, which programs without types may pass to a door. Called by the
// doors and library/storefront.ts.
import { TarsierError } from "../errors.ts";

/** `place`: "Option `folder`"; `allowed` completes "expected ...". */
export function refusal(place: string, allowed: string, found: unknown): TarsierError {
  const message = `${place}: expected ${allowed}, but found \`${textOf(found)}\``;
  return new TarsierError("bad_request", { message });
}

function textOf(found: unknown): string {
  try {
    return String(found);
  } catch {
    return "an object without a text";
  }
}
