// Starts a bundled program (bundle.mjs), compiled from the code cache beside it: what the runtime has
// compiled once need not be parsed again, which is a quarter of a start. The build makes caches for the
// runtime it runs on (codecache.mjs); any other makes its own once it has run for a while. A cache of another
// runtime, or none, is no harm: the program is compiled as usual. And it has a program that owns its process
// optimised sooner, once nothing more is compiled from caches. Copied into the folder of the bundles.
// It is no module, and what loads it neither: the loader of modules would take longer than all of this file.
const { existsSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join } = require("node:path");
const { cachedDataVersionTag, setFlagsFromString } = require("node:v8");
const vm = require("node:vm");
const { threadId, workerData } = require("node:worker_threads");
const { crc32 } = require("node:zlib");

/** By then a server has compiled what it needs for its first answers. */
const CACHE_AFTER_MS = 10_000;
/** Other runtimes have caches of their own, or none; some versions of Node cannot tell texts apart as quickly. */
const HAS_CACHES =
  process.versions.bun === undefined && process.versions.deno === undefined && crc32 !== undefined;
/** Later versions of V8 have other flags and gain nothing by them. */
const TAKES_FLAGS = HAS_CACHES && process.versions.v8.startsWith("11.");
/** Of programs that were compiled: the file of the cache, and the tag of the flags that it was compiled with. */
const caches = new WeakMap();
/** Those that run in this thread, by name. */
const programs = new Map();
/** Of the flags that this thread began with. */
const firstTag = HAS_CACHES ? cachedDataVersionTag() : 0;
/** Programs whose caches every start of the command line needs. */
const KEPT = ["cli.cjs", "worker.cjs"];

/**
 * Of bytecode, in bytes: V8 thinks of optimising a function whenever it has run so much of it, 66 KB by default.
 * A search runs most of its functions once, so two thousand searches passed until those after a start were as
 * fast as later ones; now about three hundred do.
 */
const OPTIMIZING_BUDGET = 8192;
/**
 * What is inlined into one function, in bytes of bytecode, 920 by default: many functions are optimised at once,
 * on the processors that searches need. With less than this, they would be slower for good.
 */
const INLINED_BYTES_MAX = 500;

/**
 * For a program that owns its process and has started: to change flags makes V8 refuse code caches that were
 * made before, its own and those of the runtime. Where ours are still to be written, it waits for that, once.
 */
function optimizeSooner() {
  // A small server has flags of its own (src/cli/heaps.ts), which keep little code.
  if (!TAKES_FLAGS || cachedDataVersionTag() !== firstTag) return;
  if (KEPT.every(isKept)) setOptimizingFlags();
  else setTimeout(setOptimizingFlags, 2 * CACHE_AFTER_MS).unref();
}

function setOptimizingFlags() {
  if (!TAKES_FLAGS) return;
  setFlagsFromString(`--interrupt-budget=${OPTIMIZING_BUDGET}`);
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED_BYTES_MAX}`);
}

function isKept(name) {
  try {
    const filename = join(__dirname, name);
    return existsSync(cacheOf(filename, readFileSync(filename), firstTag));
  } catch {
    return false;
  }
}

/** Compiles the program in this folder. */
function compile(name) {
  const filename = join(__dirname, name);
  const bytes = readFileSync(filename);
  // It is ASCII (bundle.mjs), which is copied as Latin-1 in less time.
  const text = bytes.toString("latin1");
  const source = `(function (exports, require, module, __filename, __dirname, importLater) {${text}\n})`;
  const tag = HAS_CACHES ? cachedDataVersionTag() : 0;
  const cacheFile = HAS_CACHES ? cacheOf(filename, bytes, tag) : undefined;
  const script = new vm.Script(source, {
    filename,
    cachedData: cacheFile && readCache(cacheFile),
    importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  caches.set(script, { file: cacheFile, tag });
  return script;
}

/** Runs it, once in a thread, and returns what it exports. */
function launch(name, script) {
  const running = programs.get(name);
  if (running !== undefined) return running.exports;
  const filename = join(__dirname, name);
  const program = { exports: {} };
  programs.set(name, program);
  const names = [program.exports, createRequire(filename), program, filename, __dirname];
  try {
    (script ?? compileToKeep(name)).runInThisContext()(...names, importLater);
  } catch (error) {
    programs.delete(name);
    throw error;
  }
  return program.exports;
}

/** Writes the cache of a program that was compiled, for those that start later with the same flags. */
function writeCache(script) {
  const { file, tag } = caches.get(script);
  if (cachedDataVersionTag() !== tag) return;
  const written = `${file}.${process.pid}-${threadId}`;
  try {
    writeFileSync(written, script.createCachedData());
    renameSync(written, file);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  }
}

/**
 * Of the threads, those that search have to be quick at their start. Where the package cannot be written to,
 * it is compiled at every start.
 */
function compileToKeep(name) {
  const script = compile(name);
  const isWritten = threadId === 0 || workerData?.role === "search";
  if (!HAS_CACHES || !isWritten || script.cachedDataRejected === false) return script;
  const keep = () => {
    try {
      writeCache(script);
    } catch {}
  };
  setTimeout(keep, CACHE_AFTER_MS).unref();
  return script;
}

/** A script that comes from a cache cannot import by itself. The files that it names lie beside this one. */
function importLater(name) {
  return import(name);
}

/**
 * Each version of the runtime has its own, and so have its flags (threads of small servers have others) and
 * the text: the runtime itself takes the cache of any other text that is as long.
 */
function cacheOf(filename, bytes, tag) {
  const hash = crc32(bytes).toString(16);
  return `${filename}.${process.version}-${process.arch}-${tag}-${hash}.cache`;
}

function readCache(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

module.exports = { compile, launch, optimizeSooner, setOptimizingFlags, writeCache };
