// What messages show of a URL.
import { equal } from "node:assert/strict";
import { test } from "node:test";
import { withoutSecrets } from "../../src/outbound/urls.ts";

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
