// Starts a bundled program (bundle.mjs) from the code cache beside it: code that was compiled before need not
// be parsed again, which saves a quarter of a start. The build makes caches for the runtime it runs on
// (codecache.mjs); any other makes its own once it has run for a while. A missing cache, or one of another
// runtime, does no harm: the program is compiled as usual. It also has a program that owns its process
// optimised sooner, once nothing more is compiled from caches. Copied into the folder of the bundles. Neither
// this file nor what loads it is a module: the module loader would take longer than all of this file.
const { existsSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join } = require("node:path");
const { cachedDataVersionTag, setFlagsFromString } = require("node:v8");
const vm = require("node:vm");
const { threadId, workerData } = require("node:worker_threads");
const { crc32 } = require("node:zlib");

/** By then a server has compiled what its first answers need. */
const CACHE_AFTER_MS = 10_000;
/** Other runtimes have caches of their own, or none; some versions of Node have no fast hash of texts. */
const HAS_CACHES =
  process.versions.bun === undefined && process.versions.deno === undefined && crc32 !== undefined;
/** Later versions of V8 have other flags and gain nothing by them. */
const TAKES_FLAGS = HAS_CACHES && process.versions.v8.startsWith("11.");
/** Compiled program -> the file of its cache, and the tag of the flags that it was compiled with. */
const caches = new WeakMap();
/** Programs that run in this thread, by name. */
const programs = new Map();
/** Tag of the flags that this thread started with. */
const firstTag = HAS_CACHES ? cachedDataVersionTag() : 0;
/** Programs whose caches every start of the command line needs. */
const KEPT = ["cli.cjs", "worker.cjs"];

/**
 * Bytes of bytecode that a function runs before V8 considers optimising it; 66 KB by default. A search runs
 * most of its functions once, so it took two thousand searches after a start until they were as fast as later
 * ones; now it takes about three hundred.
 */
const OPTIMIZING_BUDGET = 8192;
/**
 * Bytes of bytecode that are inlined into one function; 920 by default. Many functions are optimised at once,
 * on the processors that searches need. With less than this, searches would be slower for good.
 */
const INLINED_BYTES_MAX = 500;

/**
 * For a program that owns its process and has started: changing flags makes V8 reject code caches that were
 * made before, our own and those of the runtime. If ours are still to be written, it waits for that, once.
 */
function optimizeSooner() {
  // A small server sets its own flags (src/cli/heaps.ts), which keep little code.
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

/** Compiles a program of this folder. */
function compile(name) {
  const filename = join(__dirname, name);
  const bytes = readFileSync(filename);
  // The text is ASCII (bundle.mjs), and decoding it as Latin-1 is faster.
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

/** Runs a program, once per thread, and returns its exports. */
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

/** Writes the cache of a compiled program, for later starts with the same flags. */
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
 * For search threads, which have to start fast. If the package is not writable, they are compiled at every
 * start.
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

/** A script from a cache cannot import by itself. The files that it names are beside this one. */
function importLater(name) {
  return import(name);
}

/**
 * A cache fits one version of the runtime, one set of flags (threads of small servers have others) and one
 * text. The text is part of the name, because the runtime would accept the cache of any other text of the
 * same length.
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
