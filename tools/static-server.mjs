// Serves folders of static files to browsers on this machine, with ranges: for the demo and for tests.
//   node tools/static-server.mjs FOLDER [--port N] [--isolated]
// --isolated: with the headers that give pages shared memory.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};
const ISOLATION = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
};
const PORT_DEFAULT = 8080;

/**
 * `folders`: folders on disk by the path they are served at, such as `{"/": "demo"}`; the longest match
 * counts. Returns the address, the requests so far, and a function that ends the server.
 */
export async function serveStatic(folders, { isolated = false, port = 0 } = {}) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.range ?? ""}`.trimEnd());
    answer(folders, request, response, isolated ? ISOLATION : {});
  });
  await new Promise((ready) => server.listen(port, "127.0.0.1", ready));
  const close = () =>
    new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close };
}

function answer(folders, { url, headers }, response, more) {
  const asked = pathOf(url);
  const path = asked === null ? null : fileOf(folders, asked);
  const file = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  if (!file?.isFile()) {
    response.writeHead(404, more).end("not found");
    return;
  }
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "") ?? [];
  const start = Number(first ?? 0);
  const end = Math.min(last ? Number(last) : file.size - 1, file.size - 1);
  const common = {
    "content-type": TYPES[extname(path)] ?? "application/octet-stream",
    "accept-ranges": "bytes",
    "cache-control": "no-cache",
    "last-modified": file.mtime.toUTCString(),
    ...more,
  };
  if (first !== undefined && start > end) {
    response.writeHead(416, { ...common, "content-range": `bytes */${file.size}` }).end();
    return;
  }
  const range = first === undefined ? {} : { "content-range": `bytes ${start}-${end}/${file.size}` };
  response.writeHead(first === undefined ? 200 : 206, {
    ...common,
    ...range,
    "content-length": end - start + 1,
  });
  if (file.size === 0) response.end();
  else createReadStream(path, { start, end }).pipe(response);
}

/** Null: the address has none, such as `/%`. */
function pathOf(url) {
  try {
    return decodeURIComponent(new URL(url, "http://localhost").pathname);
  } catch {
    return null;
  }
}

function fileOf(folders, path) {
  const mounts = Object.keys(folders).filter((mount) => path.startsWith(mount));
  const mount = mounts.sort((a, b) => b.length - a.length)[0];
  if (mount === undefined || path.includes("\0")) return null;
  const inside = normalize(`/${path.slice(mount.length)}`);
  return join(folders[mount], inside.endsWith("/") ? `${inside}index.html` : inside);
}

if (resolve(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  const [folder, ...options] = process.argv.slice(2);
  const port = options.includes("--port") ? Number(options[options.indexOf("--port") + 1]) : PORT_DEFAULT;
  const { url } = await serveStatic(
    { "/": resolve(folder) },
    { isolated: options.includes("--isolated"), port },
  );
  console.log(`${folder} is served at ${url}/`);
}
