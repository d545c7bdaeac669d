// Which texts are addresses that can be called at all. Asked wherever a URL is noted for later calls, and
// before each call (client.ts).

/** Whether a URL carries a user or a password, which would be shown wherever the URL is. */
export function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}

export function isHttpUrl(url: string | URL): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
