// What is used of Node's modules `fs` and `path`, for browsers: there are no files by path.

export function readFile(path: string): Promise<never> {
  return Promise.reject(new Error(`${path} cannot be read in a browser`));
}

export function join(...parts: readonly string[]): string {
  return parts.join("/");
}
