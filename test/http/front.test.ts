// GET /: the page of a development server is one file that loads nothing else; in production there is none.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { startFixture } from "./harness.ts";
import { MASTER_KEY } from "./keyring.ts";

test("the page comes whole, and its policy lets nothing else in", async () => {
  const { app } = await startFixture();
  const { headers, payload } = await app.inject({ method: "GET", url: "/" });
  assert.equal(headers["content-type"], "text/html; charset=utf-8");
  assert.doesNotMatch(payload, /(src|href)="(?!data:)/);
  const policy = String(headers["content-security-policy"]);
  for (const [tag, rule] of [
    ["style", "style-src"],
    ["script", "script-src"],
  ]) {
    const [, content] = new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`).exec(payload)!;
    const hash = createHash("sha256").update(content).digest("base64");
    assert.ok(policy.includes(`${rule} 'sha256-${hash}'`), policy);
  }
  assert.match(policy, /default-src 'none'/);
});

test("in production there is no page", async () => {
  const { app } = await startFixture({ env: "production", masterKey: MASTER_KEY });
  const { headers } = await app.inject({ method: "GET", url: "/" });
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
});
