// Starts a bundled program (bundle.mjs), compiled from the code cache beside it: what the runtime has
// compiled once (codecache.mjs) it need not parse again, which is a quarter of a start. A cache of another
// runtime, or none, is no harm: the program is compiled as usual. Copied into the folder of the bundles.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

/** Compiles the program in this folder. */
export function compile(name) {
  const filename = fileURLToPath(new URL(name, import.meta.url));
  const text = readFileSync(filename, "utf8");
  const source = `(function (exports, require, module, __filename, __dirname, importLater) {${text}\n})`;
  return new vm.Script(source, {
    filename,
    cachedData: readCache(`${filename}.cache`),
    importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
}

/** Runs it. */
export function launch(name, script = compile(name)) {
  const filename = fileURLToPath(new URL(name, import.meta.url));
  const module = { exports: {} };
  const names = [module.exports, createRequire(filename), module, filename, dirname(filename)];
  script.runInThisContext()(...names, importLater);
}

/** A script that comes from a cache cannot import by itself: neither files beside it nor packages. */
function importLater(name) {
  return import(name.startsWith("./") ? new URL(name, import.meta.url).href : name);
}

function readCache(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
