// GET /: a page to try searches in development, a short answer in production. The page lies in the folder
// page/ of the package, in several files; it is sent as one, which may load nothing and talk only to this
// server.
import { createHash } from "node:crypto";
import { readPackaged } from "../package-files.ts";
import type { App, Services } from "./app.ts";

export function addFrontRoute(app: App, { options }: Services): void {
  let page: Page | null = null;
  app.get("/", { config: { action: null } }, async (_request, reply) => {
    if (options.env === "production") return { status: "Tarsier is running" };
    page ??= readPage();
    reply.type("text/html; charset=utf-8").header("content-security-policy", page.policy);
    return page.html;
  });
}

interface Page {
  html: string;
  policy: string;
}

function readPage(): Page {
  const html = read("index.html");
  const style = read("page.css");
  const script = withImports("page.js");
  const rules = [
    "default-src 'none'",
    "connect-src 'self'",
    "img-src data:",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    // Functions as replacements, so that a `$` in the files stands for itself.
    html: html
      .replace('<link rel="stylesheet" href="page.css">', () => `<style>${style}</style>`)
      .replace(
        '<script type="module" src="page.js"></script>',
        () => `<script type="module">${script}</script>`,
      ),
    policy: rules.join("; "),
  };
}

const read = (name: string): string => readPackaged(`page/${name}`).toString();

/** The script behind those that it imports, each once, as one module: the page may load nothing. */
function withImports(name: string, joined = new Set<string>()): string {
  if (joined.has(name)) return "";
  joined.add(name);
  const script = read(name);
  const imported = [...script.matchAll(IMPORT)].map(([, other]) => withImports(other, joined));
  return imported.join("") + script.replaceAll(IMPORT, "").replaceAll(/^export /gm, "");
}

const IMPORT = /^import [^;]* from "\.\/(\w+\.js)";\n/gm;

const hashOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;
