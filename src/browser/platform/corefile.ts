// Takes the place of src/core/corefile.ts in browsers, where nothing is read while code waits: the worker
// fetches and compiles the core and hands it in.

export function readCore(name: string): never {
  throw new Error(`${name} was not handed in before a core was made`);
}
