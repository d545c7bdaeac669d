// Takes the place of src/core/wordfile.ts in browsers: the files lie beside the worker, and each is fetched
// with the first text that needs it.
import { messageOf } from "../../errors.ts";
import { serverFault } from "../../storage/failure.ts";
import { fetchNow } from "../fetchnow.ts";

// Bundlers look for these very forms: by them they keep the files.

/** @throws TarsierError `io_error` */
export const readChineseWords = (): Uint8Array => fetched(new URL("./chinese.words", import.meta.url));

/** @throws TarsierError `io_error` */
export const readThaiWords = (): Uint8Array => fetched(new URL("./thai.words", import.meta.url));

function fetched({ href }: URL): Uint8Array {
  try {
    return fetchNow(href);
  } catch (cause) {
    throw serverFault("fetch", href, messageOf(cause));
  }
}
