// How files are bundled for browsers: the settings of esbuild, and the files that replace Node there. Used by
// bundle.mjs, and by the tests that run in a browser.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Module of Node -> the file of src/browser/platform that replaces it... */
const MODULES = {
  "node:buffer": "utf8check",
  "node:crypto": "crypto",
  "node:events": "events",
  "node:stream": "stream",
  "node:timers/promises": "timers",
  "node:util": "util",
};
/** ...and the same for files of src. */
const FILES = {
  "core/corefile": "corefile",
  "core/utf8": "utf8",
  "core/wordfile": "wordfile",
  "embedders/modelfile": "modelfile",
  "embedders/transformers": "transformers",
  "engine/editthread": "editthread",
  "outbound/client": "client",
  "schemas/compiling": "compiling",
  "segment/blockhelper": "blockhelper",
  "segment/graphhelpers": "graphhelpers",
  "tasks/executors": "executors",
  version: "version",
};

/**
 * Settings of esbuild for files that tsc has written to `out`; `more`: further modules and files with their
 * replacements.
 */
export function forBrowsers(root, out, more = { modules: {}, files: {} }) {
  const platform = (name) => join(out, "src", "browser", "platform", `${name}.js`);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const modules = {
    ...Object.fromEntries(Object.entries(MODULES).map(([a, b]) => [a, platform(b)])),
    ...more.modules,
  };
  const own = Object.entries(FILES).map(([file, name]) => [join(out, "src", `${file}.js`), platform(name)]);
  const files = new Map([...own, ...Object.entries(more.files)]);
  return {
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    nodePaths: [join(root, "node_modules")],
    inject: [platform("buffer")],
    define: { TARSIER_VERSION: JSON.stringify(version), global: "globalThis" },
    // Bytes to fetch before the first search matter more than names in a stack trace.
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [replacing(modules, files), interpreterWithoutNode, withoutNode],
  };
}

const replacing = (modules, files) => ({
  name: "replacing",
  setup({ onResolve }) {
    onResolve({ filter: /^node:/ }, ({ path }) =>
      Object.hasOwn(modules, path) ? { path: modules[path] } : { path, external: true, sideEffects: false },
    );
    onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir, importer }) => {
      const replacement = files.get(resolve(resolveDir, path));
      // A replacement may import the file that it replaces.
      if (replacement === undefined || replacement === importer || !existsSync(replacement)) return undefined;
      return { path: replacement };
    });
  },
});

/**
 * The interpreter of edit functions asks whether it runs in Node and then imports modules of Node,
 * needlessly; bundlers of pages would look for them. Without the question it runs in every runtime.
 */
const interpreterWithoutNode = {
  name: "interpreter-without-node",
  setup({ onLoad }) {
    onLoad({ filter: /quickjs-singlefile[^/\\]*[/\\]dist[/\\]emscripten-module-\w+\.mjs$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const parts = source.split(/globalThis\.process\?\.versions\?\.node|await import\("module"\)/);
      if (parts.length !== 3) throw new Error(`${path} no longer asks for Node in this way`);
      const contents = parts.join("false");
      return { contents };
    });
  },
};

/**
 * Files may import modules of Node for code that browsers never reach. An import that is still left fails.
 */
const withoutNode = {
  name: "without-node",
  setup({ initialOptions, onEnd }) {
    initialOptions.metafile = true;
    onEnd(({ metafile }) => {
      const needed = Object.entries(metafile?.outputs ?? {}).flatMap(([file, { imports }]) =>
        imports.filter(({ path }) => path.startsWith("node:")).map(({ path }) => ({ file, path })),
      );
      return {
        errors: needed.map(({ file, path }) => ({ text: `${file} would need ${path} in a browser` })),
      };
    });
  },
};
