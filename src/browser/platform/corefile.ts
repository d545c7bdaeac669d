// Replaces src/core/corefile.ts in browsers, where files cannot be read synchronously: the worker fetches and
// compiles the core and hands it in.

export function readCore(name: string): never {
  throw new Error(`${name} was not handed in before a core was made`);
}
