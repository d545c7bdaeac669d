// Which texts are addresses that can be called at all. Asked wherever a URL is noted for later calls, and
// before each call (client.ts).

export function isHttpUrl(url: string | URL): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
