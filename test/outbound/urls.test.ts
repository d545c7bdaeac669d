// Which texts are URLs, and what messages show of one.
import { equal } from "node:assert/strict";
import { test } from "node:test";
import { hasCredentials, isHttpUrl, withoutSecrets } from "../../src/outbound/urls.ts";

test("messages show a URL without user, password and what follows its path", () => {
  const shown: [url: string, shown: string][] = [
    ["http://a.b:1/c", "http://a.b:1/c"],
    ["http://a.b", "http://a.b"],
    ["https://u:p@a.b/c?key=s#f", "https://a.b/c"],
    ["http://a.b?key=s", "http://a.b/"],
    ["http:u:p@a.b/c", "http://a.b/c"],
    ["/c?key=s", "/c"],
    ["/c?key=s\nmore", "/c"],
    ["u:p@/c?key=s", "/c"],
  ];
  for (const [url, expected] of shown) equal(withoutSecrets(url), expected);
});

test("a host with letters beyond ASCII is one however often it was looked at", () => {
  const url = "http://u:p@café.example/hook";
  // By then the runtime has optimised what it can.
  for (let look = 0; look < 50_000; look++) if (!isHttpUrl(url)) throw new Error(`no URL at look ${look}`);
  equal(hasCredentials(url), true);
  equal(withoutSecrets(url), "http://xn--caf-dma.example/hook");
});
