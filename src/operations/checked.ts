// The operations as the library offers them: every argument is checked by the schema that the routes check
// bodies with, then the local operations do the work. Called by src/index.ts; src/browser/opening.ts joins
// the two parts in its own way.
import type { Operations } from "../library/operations.ts";
import { closable } from "./checkedreads.ts";
import { checkedWrites } from "./checkedwrites.ts";
import type { OperationServices } from "./services.ts";

/** `close`: closes the services. */
export function checkedOperations(services: OperationServices, close: () => Promise<void>): Operations {
  return closable(services, checkedWrites(services), close);
}
