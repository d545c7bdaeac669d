// Random uids for pages that came over plain HTTP, such as those of a company's own network: browsers give
// `crypto.randomUUID` only to pages of HTTPS and localhost. Called by worker.ts.

const BYTES = 16;

/** Makes `crypto.randomUUID` (RFC 9562, version 4) where it is missing. */
export function ensureRandomUuid(): void {
  const scope: { randomUUID?: Crypto["randomUUID"] } = globalThis.crypto;
  scope.randomUUID ??= randomUuid;
}

export function randomUuid(): ReturnType<Crypto["randomUUID"]> {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(BYTES));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const [first, second, third, fourth] = [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
  ].map(([from, end]) => digits.slice(from, end));
  return `${first}-${second}-${third}-${fourth}-${digits.slice(20)}`;
}
