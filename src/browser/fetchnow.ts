// Fetches while the worker is blocked: engines read files synchronously, and so does the tokenizer its words.
// Called by bundles.ts and platform/wordfile.ts.

const PARTIAL = 206;

/**
 * The content of an address, or its bytes [from, end); servers may answer a range with all of it.
 * @throws Error when the server cannot be reached or answers with anything else
 */
export function fetchNow(url: string, range?: { from: number; end: number }): Uint8Array<ArrayBuffer> {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.responseType = "arraybuffer";
  if (range) request.setRequestHeader("Range", `bytes=${range.from}-${range.end - 1}`);
  request.send();
  const isPart = range !== undefined && request.status === PARTIAL;
  if (!isPart && request.status !== 200) throw new Error(`the server answered ${request.status}`);
  return new Uint8Array(request.response as ArrayBuffer);
}
