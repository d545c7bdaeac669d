// Findings of a check of a data folder: places where bytes are not what was written. Made by the checks of
// logs and segments (logcheck.ts, segmentcheck.ts), passed on by check.ts.
import { messageOf } from "../errors.ts";
import { DamageError } from "../storage/failure.ts";

export interface Finding {
  /** Name inside the data folder. */
  file: string;
  /** Where in the file, in bytes. */
  offset: number;
  /** Part of the format at that place. */
  section: string;
  expected: string;
  found: string;
}

/** Turns an error met while reading into a finding. `section`: used when the error does not name one. */
function findingOf(error: unknown, file: string, section: string, offset = 0): Finding {
  if (error instanceof DamageError) return { section, ...error.damage };
  return { file, offset, section, expected: "sound bytes", found: messageOf(error) };
}

/** What `read` returns; null when it failed, which is then reported. */
export function attempt<Result>(
  read: () => Result,
  tell: (finding: Finding) => void,
  ...place: [file: string, section: string, offset?: number]
): Result | null {
  try {
    return read();
  } catch (error) {
    tell(findingOf(error, ...place));
    return null;
  }
}
