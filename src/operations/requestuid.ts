// Makes UUIDs of version 7 (RFC 9562) for requests: 48 bits of milliseconds, then random bits, so that they
// sort by time.

const UUID_BYTES = 16;
/** Random bytes fetched at once: a call per request would cost more than everything else in this file. */
const POOL_BYTES = 4096;

const pool = new Uint8Array(POOL_BYTES);
let next = POOL_BYTES;

/** Two hexadecimal digits for each byte. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function newRequestUid(): string {
  if (next === POOL_BYTES) {
    globalThis.crypto.getRandomValues(pool);
    next = 0;
  }
  const b = pool.subarray(next, next + UUID_BYTES);
  next += UUID_BYTES;
  const now = Date.now();
  const [high, low] = [Math.floor(now / 2 ** 32), now >>> 0];
  b[6] = 0x70 | (b[6] & 0x0f);
  b[8] = 0x80 | (b[8] & 0x3f);
  const time = `${HEX[high >>> 8]}${HEX[high & 255]}${HEX[low >>> 24]}${HEX[(low >>> 16) & 255]}`;
  const rest = `${HEX[(low >>> 8) & 255]}${HEX[low & 255]}-${HEX[b[6]]}${HEX[b[7]]}-${HEX[b[8]]}${HEX[b[9]]}`;
  return `${time}-${rest}-${HEX[b[10]]}${HEX[b[11]]}${HEX[b[12]]}${HEX[b[13]]}${HEX[b[14]]}${HEX[b[15]]}`;
}
