// UUIDs of version 7 (RFC 9562) for requests: 48 bits of milliseconds, then random bits, so that they sort by
// time.
import { randomFillSync } from "node:crypto";

const UUID_BYTES = 16;
/** Random bytes fetched at once: a call for each request would cost more than the rest of this file. */
const POOL_BYTES = 4096;

const pool = Buffer.allocUnsafe(POOL_BYTES);
let next = POOL_BYTES;

export function newRequestUid(): string {
  if (next === POOL_BYTES) {
    randomFillSync(pool);
    next = 0;
  }
  const bytes = pool.subarray(next, next + UUID_BYTES);
  next += UUID_BYTES;
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  const hex = bytes.toString("hex");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return parts.join("-");
}
