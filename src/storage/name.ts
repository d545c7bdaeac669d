// Names inside a storage. Only this program makes them, so an invalid one is a fault in it; but a name that
// reaches outside of the storage must never get through.
import { baseOf, folderOf } from "./storage.ts";

/** @throws RangeError unless `name` is "" or parts joined by "/", none of them empty, "." or ".." */
export function checkName(name: string): void {
  if (name === "") return;
  for (const part of name.split("/")) {
    if (part === "" || part === "." || part === ".." || part.includes("\\") || part.includes("\0")) {
      throw new RangeError(`not a name inside a storage: ${JSON.stringify(name)}`);
    }
  }
}

/** The entries directly inside a folder, sorted: for storages that keep a list of all their names. */
export function namesInside(folder: string, names: Iterable<string>): string[] {
  checkName(folder);
  const inside: string[] = [];
  for (const name of names) if (name !== "" && folderOf(name) === folder) inside.push(baseOf(name));
  return inside.sort();
}
