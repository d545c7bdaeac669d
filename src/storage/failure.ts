// Failures of files: errors of the system and damaged contents, as rows of the error table that name the
// file. Thrown by every storage and by everything that reads a format of its own.
import { type ErrorCode, TarsierError } from "../errors.ts";

export class StorageError extends TarsierError {
  /** Name of the file inside its storage. */
  readonly file: string;
  /** Code of the operating system (`ENOENT`, `EIO`...), `EPOISONED` after a failed sync, or `ENETWORK`. */
  readonly systemCode: string;

  /** `action` completes "cannot ...": "open", "sync". An empty `file` is the storage's own folder. */
  constructor(action: string, file: string, systemCode: string, reason: string) {
    const whole = `cannot ${action} ${file === "" ? "the folder" : `\`${file}\``}: ${reason}`;
    const isNetwork = systemCode === NETWORK_CODE;
    super(
      codes[systemCode] ?? "io_error",
      isNetwork
        ? { message: `The server of the bundle failed: ${whole}` }
        : { reason: whole, advice: advices[systemCode] ?? "the disk, its space and its health" },
    );
    this.file = file;
    this.systemCode = systemCode;
  }
}

/** A failure of the server of a bundle (bundle.ts), where no disk is involved. */
export function serverFault(action: string, file: string, reason: string): StorageError {
  return new StorageError(action, file, NETWORK_CODE, reason);
}

/** Wraps an error of the operating system. */
export function storageError(action: string, file: string, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause;
  const { code = "EUNKNOWN", message = String(cause) } = (cause ?? {}) as { code?: string; message?: string };
  return new StorageError(action, file, code, reasons[code] ?? message);
}

export function missingFile(action: string, file: string): StorageError {
  return storageError(action, file, { code: "ENOENT" });
}

/** Did something fail because a file or its folder does not exist? */
export function isMissing(error: unknown): error is StorageError {
  return error instanceof StorageError && error.systemCode === "ENOENT";
}

/** Did something fail because no space was left? */
export function isFull(error: unknown): error is TarsierError {
  return error instanceof TarsierError && error.code === "no_space_left_on_device";
}

/** Did something fail because the file takes no more writes (appendfile.ts)? */
export function isPoisoned(error: unknown): error is StorageError {
  return error instanceof StorageError && error.systemCode === "EPOISONED";
}

/** A file whose bytes are not what was written. */
export interface Damage {
  file: string;
  /** Where in the file, in bytes. */
  offset: number;
  /** Part of the format at that place. */
  section?: string;
  expected: string;
  found: string;
}

export class DamageError extends TarsierError {
  readonly damage: Damage;

  constructor(damage: Damage) {
    const { file, offset, section, expected, found } = damage;
    const place = section === undefined ? "" : ` (${section})`;
    const reason = `\`${file}\` at offset ${offset}${place}: expected ${expected}, found ${found}`;
    super("invalid_store_file", { reason });
    this.damage = damage;
  }
}

/** Bytes that are not what was written: the file is left as it is. */
export function damagedFile(damage: Damage): DamageError {
  return new DamageError(damage);
}

/** A file that another one names, but that does not exist. */
export function lostFile(file: string): DamageError {
  return damagedFile({ file, offset: 0, section: "file", expected: "the file", found: "no file" });
}

export const FORMAT_SECTION = "format version";

/**
 * A file in a format that this version does not read: it is left as it is. `offset`: place of the format's
 * number. Formats from before the first release are not read; later ones will be.
 */
export function unknownFormat(file: string, found: number, supported: number, offset: number): DamageError {
  const advice =
    found > supported ? "a newer version wrote it" : "a dump by the version that wrote it is read";
  const expected = `${supported}, the format that this version reads (${advice})`;
  return damagedFile({ file, offset, section: FORMAT_SECTION, expected, found: String(found) });
}

const NETWORK_CODE = "ENETWORK";

const codes: Record<string, ErrorCode> = {
  ENOSPC: "no_space_left_on_device",
  EDQUOT: "no_space_left_on_device",
  EMFILE: "too_many_open_files",
  ENFILE: "too_many_open_files",
};

const reasons: Record<string, string> = {
  ENOSPC: "no space left on device",
  EDQUOT: "disk quota exceeded",
  EMFILE: "this process has too many open files",
  ENFILE: "the system has too many open files",
  ENOENT: "it does not exist",
  EIO: "the device reports an input/output error",
};

const RIGHTS = "that this user may read and write there";

/** What users should check when the disk is not the cause. */
const advices: Record<string, string> = {
  EACCES: RIGHTS,
  EPERM: RIGHTS,
  EROFS: "the disk: it can only be read",
  ENOTDIR: "the path: a part of it is a file",
  EISDIR: "the path: it is a folder",
};

/** Is a file damaged, rather than temporarily inaccessible? */
export function isDamage(error: unknown): error is TarsierError {
  return error instanceof TarsierError && error.code === "invalid_store_file";
}
