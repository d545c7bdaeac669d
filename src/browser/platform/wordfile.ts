// Replaces src/core/wordfile.ts in browsers: the files lie beside the worker, and each is fetched with the
// first text that needs it.
import { fetchNow } from "../fetchnow.ts";

// Bundlers recognise exactly these expressions, and then keep the files.

export const readChineseWords = (): Uint8Array => fetchNow(new URL("./chinese.words", import.meta.url).href);

export const readThaiWords = (): Uint8Array => fetchNow(new URL("./thai.words", import.meta.url).href);
