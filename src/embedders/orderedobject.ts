// Objects whose members keep the order of a document. Used where documents are read for templates
// (src/engine/vectors/documentfields.ts), and where templates see them (scope.ts).

/** Members may have any name, even `__proto__`. Of a repeated name the last value counts. */
export function orderedObject(
  members: Iterable<readonly [string, unknown]>,
  prototype: object | null = Object.prototype,
): object {
  const all = new Map(members);
  const object = Object.create(prototype) as object;
  for (const [name, value] of all) Object.defineProperty(object, name, { value, enumerable: true });
  const names = [...all.keys()];
  // JavaScript puts names that look like indexes first.
  return names.some(isIndex) ? new Proxy(object, { ownKeys: () => names }) : object;
}

const isIndex = (name: string): boolean => /^\d+$/.test(name);
