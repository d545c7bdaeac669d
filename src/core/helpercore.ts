// An instance of the core over the memory of another thread, for kernels that never call the host. Starting
// it writes the core's static data again while the other thread works: so these data must be constants. Used
// by the threads that help to build graphs and to compress documents (src/segment: graphthread.ts,
// blockthread.ts).
import type { CoreExports } from "./exports.ts";

export function helperCore(module: WebAssembly.Module, memory: WebAssembly.Memory): CoreExports {
  const refuse = () => {
    throw new Error("a helper has no host that its core could call");
  };
  const functions = WebAssembly.Module.imports(module).filter(({ kind }) => kind === "function");
  const env = { memory, ...Object.fromEntries(functions.map(({ name }) => [name, refuse])) };
  return new WebAssembly.Instance(module, { env }).exports as unknown as CoreExports;
}
