// Gives the page its files when the server cannot be reached: those that app.ts has put into the cache. The
// catalogue itself lies in the browser's private file system then, and is not asked for here.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || event.request.headers.has("range")) return;
  event.respondWith(
    fetch(event.request).catch(async () => {
      const known = await caches.match(event.request, { ignoreSearch: true });
      return known ?? Response.error();
    }),
  );
});
