// Runs the writer of test/runtime in a worker of a page (builtins/process.ts), with what it uses of a
// process.

const output = { write: (text: string) => postMessage(text) };
Object.assign(globalThis, { process: { argv: ["", "", location.hash.slice(1)], stdout: output } });
// Its imports are done before its first line runs: so it is imported later.
await import("../runtime/writer.ts");

export {};
