// GET /: a page to try searches in development, a short answer in production. The page is one file, which may
// load nothing and talk only to this server; tools/page.mjs makes it from the folder page/.
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
  const html = readPackaged("page.html").toString();
  const rules = [
    "default-src 'none'",
    "connect-src 'self'",
    "img-src data:",
    `style-src '${hashOf(inside("style", html))}'`,
    `script-src '${hashOf(inside("script", html))}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return { html, policy: rules.join("; ") };
}

/** The content of the only element of this name. */
function inside(name: string, html: string): string {
  const start = html.indexOf(">", html.indexOf(`<${name}`)) + 1;
  return html.slice(start, html.indexOf(`</${name}>`, start));
}

const hashOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;
