// A value of the instance as a dump brings it, and the check of its shape. Shared by the files that read
// dumps.

/** The arguments of Instance.put. */
export type Put = [kind: string, key: string, value: unknown];

/** @throws TypeError unless the value is an object */
export function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new TypeError(`expected an object, but found ${JSON.stringify(value)?.slice(0, 100)}`);
}
