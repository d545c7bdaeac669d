// The core, fetched and compiled by the page while the worker loads its script. Called by
// remoteoperations.ts.
import { messageOf, TarsierError } from "../errors.ts";

const TYPE = "application/wasm";

/**
 * Fetched from its address beside this file, since browsers cache the compiled code of fetched modules.
 * @throws TarsierError `io_error`
 */
export async function fetchCore(): Promise<WebAssembly.Module> {
  const { href } =
    typeof SharedArrayBuffer === "undefined"
      ? new URL("./core.single.wasm", import.meta.url)
      : new URL("./core.wasm", import.meta.url);
  try {
    const answer = await fetch(href);
    if (!answer.ok) throw new Error(`the server answers with the status ${answer.status}`);
    // Many servers do not know the type, and browsers compile no stream of another one.
    const isKnown = answer.headers.get("content-type")?.toLowerCase() === TYPE;
    if (isKnown) return await WebAssembly.compileStreaming(answer);
    return await WebAssembly.compile(await answer.arrayBuffer());
  } catch (cause) {
    const message = `The core \`${href}\` could not be loaded: ${messageOf(cause)}`;
    throw new TarsierError("io_error", { message });
  }
}
