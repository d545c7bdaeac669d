// Checks that the file with the documents of an addition is still the one that was accepted. It has no
// checksum, but its size reveals files that were truncated or removed. Called by batchdocuments.ts before
// anything of it is used.
import { StorageError } from "../../storage/failure.ts";
import { type Storage, sizeIfAny } from "../../storage/storage.ts";

/** One task has lost its documents: the other tasks of its batch must not fail with it. */
export class LostPayload extends StorageError {}

/** @throws LostPayload */
export function checkPayload(storage: Storage, file: string, bytes: number): void {
  const size = sizeIfAny(storage, file);
  if (size === bytes) return;
  const found = size === null ? "it does not exist" : `it has ${size} bytes`;
  throw new LostPayload("read", file, "EIO", `${found}, and ${bytes} were accepted`);
}
