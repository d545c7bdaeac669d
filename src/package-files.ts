// Where files that come with the code lie. The code runs from build/src, file by file, or from
// build/bundle, where one file holds many: so nothing is named by its place beside the file that asks.
// Called by src/core/corefile.ts, src/version.ts and src/http/front.ts.

/** The places of `name` in the folder of the running code and those above it, the nearest first. */
export function* upwards(name: string): Generator<URL> {
  for (let folder = new URL(".", import.meta.url); ; ) {
    yield new URL(name, folder);
    const parent = new URL("..", folder);
    if (parent.href === folder.href) return;
    folder = parent;
  }
}
