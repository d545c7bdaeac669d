// Which texts are URLs that can be called at all. Checked wherever a URL is stored for later calls, and
// before each call (client.ts).

/** Whether a URL carries a user or a password, which would be shown wherever the URL is. */
export function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}

/** Whether a URL has a query or a fragment. */
export function hasQuery(url: string): boolean {
  return URL.canParse(url) && /[?#]/.test(url);
}

/** A URL as messages show it: users who search read them, and many providers expect their key after `?`. */
export function withoutSecrets(url: string | URL): string {
  const text = String(url);
  const { protocol, host, pathname, search, hash } = URL.canParse(text) ? new URL(text) : NO_URL;
  if (host === "") return text.replace(/^.*@|[?#].*$/gs, "");
  return hasCredentials(text) || search !== "" || hash !== "" ? `${protocol}//${host}${pathname}` : text;
}

const NO_URL = { protocol: "", host: "", pathname: "", search: "", hash: "" };

export function isHttpUrl(url: string | URL): boolean {
  const { protocol } = url instanceof URL ? url : URL.canParse(url) ? new URL(url) : NO_URL;
  return protocol === "http:" || protocol === "https:";
}
