// GET /: a page to try searches in development, a short answer in production. The page lies in the folder
// page/ of the package, as three files; it is sent as one, which may load nothing and speak to no one else.
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
  const [html, style, script] = ["index.html", "page.css", "page.js"].map((name) =>
    readPackaged(`page/${name}`).toString(),
  );
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
    // As functions: a `$` in the files stands for itself.
    html: html
      .replace('<link rel="stylesheet" href="page.css">', () => `<style>${style}</style>`)
      .replace('<script src="page.js"></script>', () => `<script>${script}</script>`),
    policy: rules.join("; "),
  };
}

const hashOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;
