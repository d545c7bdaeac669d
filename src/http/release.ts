// Gives the memory of received bytes back as soon as they are read. Called by the routes that take documents.
// A body comes in buffers of 64 KiB of which the garbage collector lets about 32 MiB gather before it looks
// at them.

/** Closed from the start: what is moved to it is gone. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/** What is smaller gathers slowly, and costs more to give back than it is worth. */
const RELEASED_BYTES_MIN = 16 * 1024;

/** Ends the life of a chunk that nobody needs any more. One that shares its memory with others stays. */
export function releaseBytes({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < RELEASED_BYTES_MIN) return;
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return;
  try {
    nowhere.postMessage(null, [buffer]);
  } catch {
    // A buffer that must not be moved: it is left to the garbage collector.
  }
}
