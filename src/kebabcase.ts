// Names in the spelling of options and paths. Called by the command line, http/settings.ts and
// operations/settings.ts.

/** `dbPath` -> `db-path`. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]|(?<=[a-z])\d{4}/g, (found) => `-${found.toLowerCase()}`);
}
