// Gives the memory of received bytes back as soon as they are read. Used by server.ts for the routes that
// take documents. A body arrives in buffers of 64 KiB, of which the garbage collector lets some 32 MiB pile
// up before it frees them.

/** A closed port: what is transferred to it is gone. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/** Smaller buffers pile up slowly, and giving them back costs more than it gains. */
const RELEASED_BYTES_MIN = 16 * 1024;

/** Frees a chunk that nobody needs any more. One that shares its memory with others is left alone. */
export function releaseBytes({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < RELEASED_BYTES_MIN) return;
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return;
  try {
    nowhere.postMessage(null, [buffer]);
  } catch {
    // This buffer cannot be transferred: it is left to the garbage collector.
  }
}
