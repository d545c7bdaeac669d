// How names and patterns of the settings and of requests stand for fields. Called by everything that asks
// which fields are meant.

/** True when a setting's entry names a field or an ancestor of it. */
export const covers = (entry: string, name: string): boolean =>
  name === entry || name.startsWith(`${entry}.`);

/** The field and its ancestors: `a`, `a.b` and `a.b.c` of the last. */
export function lineOf(name: string): string[] {
  const parts = name.split(".");
  return parts.map((_, i) => parts.slice(0, i + 1).join("."));
}

/** Patterns of field names: `*`, `x*`, `*x`, `*x*` or exact; a `*` in the middle is literal. */
export function matchesPattern(name: string, pattern: string): boolean {
  if (pattern === "*") return true;
  const left = pattern.startsWith("*");
  const right = pattern.endsWith("*");
  const core = pattern.slice(left ? 1 : 0, right ? -1 : undefined);
  if (left && right) return name.includes(core);
  if (left) return name.endsWith(core);
  return right ? name.startsWith(core) : name === pattern;
}
