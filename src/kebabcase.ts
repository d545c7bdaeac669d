// Names as options and paths write them. Called by the command line and the routes of settings, and by
// src/operations.

/** `dbPath` -> `db-path`. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]|(?<=[a-z])\d{4}/g, (found) => `-${found.toLowerCase()}`);
}
