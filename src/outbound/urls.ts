// Which texts are URLs that can be called at all. Checked wherever a URL is stored for later calls, and
// before each call (client.ts).

/**
 * Null for what is no absolute URL. `URL.canParse` is not asked: once Node 20 has optimised a call of it, it
 * takes a text for bytes in another encoding, and refuses hosts such as `café.example`.
 */
export function parsedUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Whether a URL carries a user or a password, which would be shown wherever the URL is. */
export function hasCredentials(url: string): boolean {
  const { username, password } = parsedUrl(url) ?? NO_URL;
  return username !== "" || password !== "";
}

/** Whether a URL has a query or a fragment. */
export function hasQuery(url: string): boolean {
  return parsedUrl(url) !== null && /[?#]/.test(url);
}

/** A URL as messages show it: users who search read them, and many providers expect their key after `?`. */
export function withoutSecrets(url: string | URL): string {
  const text = String(url);
  const { protocol, host, pathname, search, hash } = parsedUrl(text) ?? NO_URL;
  if (host === "") return text.replace(/^.*@|[?#].*$/gs, "");
  return hasCredentials(text) || search !== "" || hash !== "" ? `${protocol}//${host}${pathname}` : text;
}

const NO_URL = { protocol: "", username: "", password: "", host: "", pathname: "", search: "", hash: "" };

export function isHttpUrl(url: string | URL): boolean {
  const { protocol } = url instanceof URL ? url : (parsedUrl(url) ?? NO_URL);
  return protocol === "http:" || protocol === "https:";
}
